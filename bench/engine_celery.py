"""Celery in the benchmark: one thread per process on a private Redis, acknowledged after the work is done."""

from __future__ import annotations

from collections.abc import Callable
from threading import Timer

from celery import Celery
from redis import Redis

from bench.engine_side import main, ready

QUEUE = "celery"
HELD_BACK = "held_back"


class OnRedis:
    def __init__(self, url: str) -> None:
        self.url = url
        self.handle: Callable[[int], None] = lambda item: None
        self.app = Celery("bench", broker=url)
        self.app.conf.update(
            task_acks_late=True, task_ignore_result=True, worker_prefetch_multiplier=100,
            broker_connection_retry_on_startup=True, worker_redirect_stdouts=False,
        )  # fmt: skip

        @self.app.task(name="nothing")
        def nothing(item: int) -> None:
            self.handle(item)

        self.task = nothing

    async def setup(self) -> None:
        """Redis needs no tables."""

    async def fill(self, items: int) -> None:
        """Celery sends one by one, so they are sent aside first and released at once."""
        with self.app.pool.acquire(block=True) as connection:
            producer = self.app.amqp.Producer(connection, auto_declare=False)
            for _ in range(items):
                self.task.apply_async((-1,), queue=HELD_BACK, producer=producer)
        with Redis.from_url(self.url) as redis:
            redis.rename(HELD_BACK, QUEUE)

    async def send(self, item: int) -> None:
        self.task.apply_async((item,))

    async def work(self, handle: Callable[[int], None]) -> None:
        self.handle = handle
        Timer(4, ready).start()
        arguments = (
            "worker --pool solo --without-gossip --without-mingle --without-heartbeat --loglevel ERROR"
        )
        self.app.worker_main(arguments.split())


if __name__ == "__main__":
    main(OnRedis)
