"""C12: secrets that a whole installation handles, errors included, are found nowhere afterwards."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from socket import socket
from urllib.parse import urlsplit

import httpx
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from children import stop_with_parent
from product import WHO, add_job
from scrapersky.actions.accounts.users import create_user
from scrapersky.maintenance import raise_alert
from scrapersky.settings import Settings, is_secret

EMAIL = "ada@example.org"
# Each is unmistakable, and strong where that is asked for.
CANARIES = {
    "password": "Canary-pw-7Qm2xV9tLk4",
    "wrong password": "Canary-wrong-pw-3Hs8dR1",
    "database password": "Canary-dsn-5Zt9wB2nM",
    "secret key": "Canary-sk-8vJ3qT6yN1xR4mW7pK2z-9dF5hG0",
    "ScraperAPI key": "Canary-api-6Lr1cX8bV4",
    "webhook": "Canary-hook-2Gk7sD9fJ5",
    "Slack webhook": "Canary-slack-4Pw6eU3iO8",
    "mail password": "Canary-mail-9Nb5vC1xZ7",
    "wrong key": "Canary-key-1Yt4rE7wQ2",
    "Google key": "Canary-google-7Bv2cN8mK3",
    "DeBounce key": "Canary-debounce-5Xw1qA6sD9",
    "language model key": "Canary-model-4Ts8wE2rF6",
    "HubSpot token": "Canary-hubspot-8Rt3yU7iP4",
    "object storage key": "Canary-storage-6Jd4fL8zP2",
    "refused webhook": "Canary-refused-3Mj6nH9bG5",
}
MAX_SECONDS = 60.0


def free_port() -> int:
    with closing(socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class RudeServer:
    """Answers for every host: sites forbid, and services fail and repeat what they were asked."""

    def __init__(self) -> None:
        # With the headers, in which some services expect their key.
        self.targets: list[str] = []

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        target = (await reader.readline()).decode(errors="replace").split(" ")[1:2] or [""]
        while line := (await reader.readline()).strip():
            self.targets.append(line.decode(errors="replace"))
        self.targets += target
        if target[0].startswith("/robots"):
            status = "404 Not Found"
        else:
            status = "403 Forbidden" if target[0] == "/" else "500 Failed"
        body = f"<p>failed: {target[0]}"
        head = f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\nConnection: close\r\n"
        writer.write(f"{head}Content-Length: {len(body.encode())}\r\n\r\n{body}".encode())
        await writer.drain()
        writer.close()


def environment(url: str, folder: Path, port: int, rude_port: int) -> dict[str, str]:
    parts = urlsplit(url.replace("+asyncpg", ""))
    user = (parts.username or "postgres") + ":" + CANARIES["database password"]
    host = parts.netloc.rpartition("@")[2]
    return {
        **os.environ,
        "DATABASE_URL": parts._replace(netloc=f"{user}@{host}").geturl(),
        "DATA_FOLDER": str(folder),
        "PORT": str(port),
        "SCHEDULER_IN_WEB": "true",
        "LOG_LEVEL": "DEBUG",
        "LOG_FORMAT": "json",
        "SECRET_KEY": CANARIES["secret key"],
        "SCRAPER_API_KEY": CANARIES["ScraperAPI key"],
        "SCRAPER_API_ENABLED": "true",
        "SCRAPER_API_URL": f"http://127.0.0.1:{rude_port}/service",
        "SCRAPER_API_MAX_RETRIES": "0",
        "GOOGLE_MAPS_API_KEY": CANARIES["Google key"],
        "GOOGLE_PLACES_URL": f"http://127.0.0.1:{rude_port}/google/",
        "DEBOUNCE_API_KEY": CANARIES["DeBounce key"],
        "DEBOUNCE_URL": f"http://127.0.0.1:{rude_port}/debounce/",
        "LANGUAGE_MODEL_API_KEY": CANARIES["language model key"],
        "LANGUAGE_MODEL_URL": f"http://127.0.0.1:{rude_port}/model/",
        "S3_ACCESS_KEY": "reader",
        "S3_SECRET_KEY": CANARIES["object storage key"],
        "HUBSPOT_URL": f"http://127.0.0.1:{rude_port}/hubspot/",
        "MAX_RETRIES": "0",
        "ALERT_WEBHOOK_URL": f"http://127.0.0.1:{rude_port}/{CANARIES['webhook']}",
        "ALERT_EMAIL_TO": EMAIL,
        "ALERT_EMAIL_FROM": EMAIL,
        "ALERT_SMTP_HOST": "127.0.0.1",
        "ALERT_SMTP_PORT": str(rude_port),
        "ALERT_SMTP_USER": "ada",
        "ALERT_SMTP_PASSWORD": CANARIES["mail password"],
        "ALERT_SMTP_SECURITY": "none",
        "ALERT_TIMEOUT_SECONDS": "2",
        "EGRESS_ALLOW": f"127.0.0.1:{rude_port}",
        "CONNECT_TO": f"*:80:127.0.0.1:{rude_port},*:443:127.0.0.1:{rude_port}",
        "HOST_DELAY_MILLISECONDS": "0",
        "STUCK_CHECK_INTERVAL_MINUTES": "1",
    }


@asynccontextmanager
async def serving(values: dict[str, str], log: Path) -> AsyncIterator[httpx.AsyncClient]:
    """The real program as a process, with its workers inside, and a client of it."""
    with log.open("wb") as stream:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "scrapersky", "serve",
            env=values, cwd=log.parent, stdout=stream, stderr=stream, preexec_fn=stop_with_parent,
        )  # fmt: skip
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{values['PORT']}", timeout=30) as client:
            await until_ready(client, log)
            yield client
    finally:
        process.terminate()
        await process.wait()


async def until_ready(client: httpx.AsyncClient, log: Path) -> None:
    async with asyncio.timeout(MAX_SECONDS):
        while True:
            try:
                await client.get("/health/live")
            except httpx.TransportError:
                await asyncio.sleep(0.2)
            else:
                return


async def until(check: Callable[[], Awaitable[bool]]) -> None:
    end = time.monotonic() + MAX_SECONDS
    while not await check():
        assert time.monotonic() < end, f"not within {MAX_SECONDS} seconds"
        await asyncio.sleep(0.2)


class Collector:
    """Every answer that the client got."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client, self.texts = client, dict[str, str]()

    async def __call__(self, method: str, path: str, **more: object) -> httpx.Response:
        answer = await self.client.request(method, path, **more)  # type: ignore[arg-type]
        self.texts[f"{method} {path} {len(self.texts)}"] = f"{answer.headers}\n{answer.text}"
        return answer


async def use_everything(client: httpx.AsyncClient) -> tuple[dict[str, str], dict[str, str]]:
    """Log in, make a key, read everything, and do what is refused; gives the answers and the new secrets."""
    ask = Collector(client)
    wrong = {"email": EMAIL, "password": CANARIES["wrong password"]}
    assert (await ask("POST", "/api/v3/session", json=wrong)).status_code == 401
    await ask("GET", "/api/v3/session", headers={"Authorization": f"Bearer {CANARIES['wrong key']}"})
    await ask("POST", "/api/v3/session", content=b'{"password": "' + CANARIES["wrong password"].encode())
    login = await client.post("/api/v3/session", json={**wrong, "password": CANARIES["password"]})
    assert login.status_code == 204, login.text
    session = next(iter(client.cookies.values()))
    client.headers["Origin"] = str(client.base_url).rstrip("/")
    made = await client.post(
        "/api/v3/api-keys", json={"name": "n", "scopes": ["admin"], "expires_in_days": 1}
    )
    assert made.status_code == 201, made.text
    key = made.json()["key"]
    client.cookies.clear()
    client.headers["Authorization"] = f"Bearer {key}"

    slack = {"value": f"https://hooks.canary-slack.com/{CANARIES['Slack webhook']}"}
    assert (await ask("PUT", "/api/v3/settings/ALERT_SLACK_URL", json=slack)).status_code == 200
    refused = {"value": f"ftp://x/{CANARIES['refused webhook']}"}
    assert (await ask("PUT", "/api/v3/settings/ALERT_WEBHOOK_URL", json=refused)).status_code == 409
    bad_user = {"email": "x", "password": CANARIES["wrong password"], "role": "king", "more": 1}
    assert (await ask("POST", "/api/v3/users", json=bad_user)).status_code == 422
    await ask("GET", f"/api/v3/domains?api_key={CANARIES['wrong key']}")
    body = {"domains": ["canary-shop.com"], "auto_queue": True}
    assert (await ask("POST", "/api/v3/domains/direct-submit", json=body)).status_code < 300
    hubspot = {"name": "CRM", "kind": "hubspot", "secret": CANARIES["HubSpot token"]}
    added = await ask("POST", "/api/v3/destinations", json=hubspot)
    assert added.status_code == 201, added.text
    await ask("POST", f"/api/v3/destinations/{added.json()['id']}/test")
    for name in ("google_places", "debounce"):
        await ask("POST", f"/api/v3/integrations/{name}/test")
    for path in (
        "destinations",
        "integrations",
        "settings",
        "tenants",
        "users",
        "api-keys",
        "session",
        "sessions",
        "alerts",
        "audit-log",
    ):
        await ask("GET", f"/api/v3/{path}")
    return ask.texts, {"session": session, "API key": key}


async def read_everything(client: httpx.AsyncClient) -> dict[str, str]:
    ask = Collector(client)
    for path in ("/health", "/health/ready", "/system", "/metrics", "/api/v3/stages", "/api/v3/alerts"):
        await ask("GET", path)
    for name in ("domains", "pages", "jobs", "contacts"):
        await ask("GET", f"/api/v3/{name}")
        await ask("GET", f"/api/v3/{name}/export?format=csv")
    return ask.texts


async def database_text(db: AsyncEngine) -> dict[str, str]:
    """Every row of every table as text, and what the server shows of its sessions."""
    texts = {}
    async with db.connect() as connection:
        names = await connection.scalars(
            text("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
        )
        for name in [*names, "pg_stat_activity"]:
            rows = await connection.scalars(text(f"SELECT t::text FROM {name} AS t"))
            texts[f"table {name}"] = "\n".join(rows)
    return texts


def process_list() -> str:
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(path.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return "\n".join(lines)


def findings(texts: dict[str, str], secrets: dict[str, str]) -> list[str]:
    return [
        f"{name} in {place}"
        for place, content in texts.items()
        for name, secret in secrets.items()
        if secret in content or secret.encode().hex() in content
    ]


def test_every_secret_setting_is_among_the_canaries() -> None:
    """Those that are edited while the program runs are set by a request."""
    values = environment("postgresql://user@localhost/name", Path("data"), 1, 2)
    planted = {name.lower() for name, value in values.items() if any(c in value for c in CANARIES.values())}
    secrets = {name for name in Settings.model_fields if is_secret(name)}
    assert secrets - planted - {"secret_key_previous"} == {"alert_slack_url"}


@pytest.mark.timed
@pytest.mark.reliability
async def test_no_secret_is_found_outside_of_its_place(
    db: AsyncEngine, database_url: str, tmp_path: Path
) -> None:
    await create_user(db, WHO, email=EMAIL, password=CANARIES["password"], role="admin")
    await add_job(db, "unknown")
    server = RudeServer()
    rude = await asyncio.start_server(server.answer, "127.0.0.1", 0)
    rude_port = rude.sockets[0].getsockname()[1]
    values = environment(database_url, tmp_path / "data", free_port(), rude_port)
    log = tmp_path / "log"
    async with rude, serving(values, log) as client:
        await raise_alert(db, "scheduler_failure", "canary", "for the channels")
        texts, made = await use_everything(client)

        async def has_happened() -> bool:
            async with db.connect() as connection:
                sent = await connection.scalar(
                    text("SELECT count(*) FROM alerts WHERE notifications <> '{}'")
                )
                tried = await connection.scalar(text("SELECT count(*) FROM domains WHERE status = 'error'"))
            return bool(sent and tried)

        await until(has_happened)
        texts |= await read_everything(client)
        texts["processes"] = process_list()
        texts |= await database_text(db)
    texts["log"] = log.read_text(errors="replace")
    secrets = {**CANARIES, **made}
    assert '"alert_failed"' in texts["log"]
    # The services were called with their secrets, and failed.
    for name in ("ScraperAPI key", "webhook", "Google key", "DeBounce key", "HubSpot token"):
        assert any(CANARIES[name] in target for target in server.targets), name
    assert findings({"control": f"a {made['API key']} b"}, secrets) == ["API key in control"]
    assert findings(texts, secrets) == []
