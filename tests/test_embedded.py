"""The private PostgreSQL: it starts, is shared, survives and says what is wrong."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine


async def test_a_test_has_a_database_of_its_own(db: AsyncEngine) -> None:
    async with db.connect() as connection:
        assert (await connection.execute(text("SELECT 1"))).scalar_one() == 1


async def test_the_server_listens_on_a_socket_only(db: AsyncEngine) -> None:
    async with db.connect() as connection:
        assert (await connection.execute(text("SHOW listen_addresses"))).scalar_one() == ""
