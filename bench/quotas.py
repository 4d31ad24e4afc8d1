"""A tenant far beyond its quota of requests, and what another tenant notices of it (RELIABILITY C20).

Arguments: --rounds N, --seconds N (of each half), --flood N (requests a second beyond the quota). In each
round the other tenant's list is read at a fixed rate, first alone, then beside the flood.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from datetime import timedelta
from multiprocessing import get_context
from time import perf_counter
from uuid import UUID

import httpx
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from bench.lists import TENANT, fill, private_server, serving
from bench.results import Row
from scrapersky.actions.accounts.api_keys import create_api_key
from scrapersky.actions.actor import Actor
from scrapersky.actions.installation.tenants import TenantEditor
from scrapersky.queries.installation.tenants import Quotas
from scrapersky.settings import Settings
from scrapersky.tables.migrate import migrate

PAGES, RATE, QUOTA = 20_000, 20, 60
WARM_UP = 1.5
LISTED = "/api/v3/pages"
CONNECTIONS = 10
SYSTEM_USER: UUID = Settings.model_fields["scheduler_system_user_id"].default


def main(argv: list[str]) -> list[Row]:
    parser = argparse.ArgumentParser(prog="bench quotas")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--flood", type=float, default=100)
    options = parser.parse_args(argv)
    with private_server() as url:
        return asyncio.run(_measure(url, options))


async def _measure(url: str, options: argparse.Namespace) -> list[Row]:
    await migrate(url)
    engine = create_async_engine(url)
    await fill(engine, PAGES)
    quiet: list[float] = []
    beside: list[float] = []
    statuses: Counter[int] = Counter()
    async with serving(url) as address:
        served, flooding = await _keys(engine)
        # The flood is sent by a process of its own, so that it does not delay who measures.
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            for _ in range(options.rounds):
                quiet += (await _send(address, served, RATE, options.seconds))[0]
                loop = asyncio.get_running_loop()
                flood = loop.run_in_executor(
                    pool, _flood, address, flooding, options.flood, options.seconds + WARM_UP
                )
                await asyncio.sleep(WARM_UP)
                beside += (await _send(address, served, RATE, options.seconds))[0]
                statuses += await flood
    await engine.dispose()
    alone, together = _p95(quiet), _p95(beside)
    note = f"{options.rounds} rounds of {options.seconds:g} s, {RATE} requests/s"
    flood_note = ", ".join(f"{number:,} × {status}" for status, number in sorted(statuses.items()))
    return [
        Row("other tenant's list alone, p95", "ours", alone, "ms", note),
        Row(f"beside {options.flood:g} requests/s beyond a quota, p95", "ours", together, "ms", flood_note),
        Row("beside over alone", "ours", together / alone, "x", "goal at most 1.2"),
    ]


async def _keys(engine: AsyncEngine) -> tuple[str, str]:
    """The key of an administrator of the tenant with the pages, and of one with a small quota."""
    editor = TenantEditor(engine, Actor(TENANT, SYSTEM_USER), TENANT)
    small = await editor.add("Small", quotas=Quotas(requests_per_minute=QUOTA))
    return await _key(engine, editor, TENANT), await _key(engine, editor, small)


async def _key(engine: AsyncEngine, editor: TenantEditor, tenant_id: UUID) -> str:
    address = f"admin@{tenant_id}.example"
    user_id = await editor.add_admin(tenant_id, email=address, password="correct-Horse-9-battery")
    actor = Actor(tenant_id, user_id)
    _, key = await create_api_key(
        engine, actor, user_id=user_id, name="bench", scopes=["admin"], lifetime=timedelta(days=1)
    )
    return key


def _flood(address: str, key: str, rate: float, seconds: float) -> Counter[int]:
    return asyncio.run(_send_plainly(address, key, rate, seconds))


async def _send_plainly(address: str, key: str, rate: float, seconds: float) -> Counter[int]:
    """The same requests by a client that costs next to nothing: it runs on the machine that is measured."""
    host, port = address.removeprefix("http://").split(":")
    lines = [f"GET {LISTED}?limit=50 HTTP/1.1", f"Host: {host}", f"Authorization: Bearer {key}", "", ""]
    request = "\r\n".join(lines).encode()

    async def send() -> Counter[int]:
        reader, writer = await asyncio.open_connection(host, int(port))
        statuses: Counter[int] = Counter()
        began = perf_counter()
        for number in range(int(seconds * rate / CONNECTIONS)):
            await asyncio.sleep(max(0.0, began + number * CONNECTIONS / rate - perf_counter()))
            writer.write(request)
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            statuses[int(head.split()[1])] += 1
            await reader.readexactly(int(head.split(b"content-length: ")[1].split()[0]))
        writer.close()
        return statuses

    return sum(await asyncio.gather(*(send() for _ in range(CONNECTIONS))), Counter())


async def _send(address: str, key: str, rate: float, seconds: float) -> tuple[list[float], Counter[int]]:
    """Send requests at a fixed rate, whether or not the earlier ones are answered: milliseconds, statuses."""
    times: list[float] = []
    statuses: Counter[int] = Counter()
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as client:

        async def send() -> None:
            began = perf_counter()
            answer = await client.get(LISTED, params={"limit": 50})
            times.append(1_000 * (perf_counter() - began))
            statuses[answer.status_code] += 1

        began, sent = perf_counter(), []
        for number in range(int(seconds * rate)):
            await asyncio.sleep(max(0.0, began + number / rate - perf_counter()))
            sent.append(asyncio.create_task(send()))
        await asyncio.gather(*sent)
    return times, statuses


def _p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]
