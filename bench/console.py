"""The console on a large table: fragments of lists by HTTP, and the first load of a page in a real Chromium.

Arguments: --pages N (default 1,000,000), --rounds N. Each request is a list with other filters, as htmx asks
for it, so that rows, total, facets and their HTML are all in the time. Bytes are those on the wire.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import httpx
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, async_playwright
from sqlalchemy.ext.asyncio import create_async_engine

from bench.lists import QUERIES, fill, p95, private_server, serving
from bench.results import Row
from scrapersky.tables.migrate import migrate
from scrapersky.web.assets import load_assets

FRAGMENT_GOAL, FRAGMENT_KB, LOAD_KB, LOAD_REQUESTS, OWN_KB = 200.0, 15.0, 150.0, 10, 12.0
PATHS = ("/", "/pages", "/domains", "/contacts", "/jobs", "/stages", "/settings")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


@dataclass
class Load:
    """What a browser fetched for one page, and what it complained about."""

    bytes: int = 0
    requests: int = 0
    findings: int = 0
    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)


def main(argv: list[str]) -> list[Row]:
    parser = argparse.ArgumentParser(prog="bench console")
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(argv)
    with private_server() as url:
        return asyncio.run(_measure(url, options))


async def _measure(url: str, options: argparse.Namespace) -> list[Row]:
    await migrate(url)
    engine = create_async_engine(url)
    print(f"filling {options.pages:,} pages", file=sys.stderr)
    await fill(engine, options.pages)
    await engine.dispose()
    async with serving(url) as address:
        times, sizes = await _fragments(address, options.rounds)
        loads = await _loads(address) if CHROMIUM else {}
    return [*_fragment_rows(options, times, sizes), *_load_rows(loads), *_own_rows()]


async def _fragments(address: str, rounds: int) -> tuple[dict[str, list[float]], list[int]]:
    times: dict[str, list[float]] = {}
    sizes: list[int] = []
    headers = {"HX-Request": "true", "Accept": "text/html", "Accept-Encoding": "gzip"}
    async with httpx.AsyncClient(base_url=address, timeout=60, headers=headers) as client:
        # The first answer of a process also compiles the templates.
        await client.get("/pages")
        for _ in range(rounds):
            for params, sort in QUERIES:
                query: dict[str, Any] = {**params, **({"sort": sort} if sort else {})}
                began = perf_counter()
                async with client.stream("GET", "/pages", params=query) as answer:
                    size = sum([len(part) async for part in answer.aiter_raw()])
                times.setdefault(str(query), []).append(1_000 * (perf_counter() - began))
                assert answer.status_code == 200, query
                sizes.append(size)
    return times, sizes


async def _loads(address: str) -> dict[str, Load]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        loads = {path: await _load(browser, address, path) for path in PATHS}
        await browser.close()
    return loads


async def _load(browser: Browser, address: str, path: str) -> Load:
    """The page in a new window, whose cache is empty."""
    load = Load()
    context = await browser.new_context()
    page = await context.new_page()
    page.on("console", lambda m: load.errors.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: load.errors.append(str(error)))
    page.on("request", lambda r: None if r.url.startswith(address) else load.foreign.append(r.url))
    network = await context.new_cdp_session(page)
    await network.send("Network.enable")

    sent: set[str] = set()

    def send(event: dict[str, Any]) -> None:
        # Pictures that stand in the page itself are no requests.
        if event["request"]["url"].startswith("http"):
            sent.add(event["requestId"])

    def count(event: dict[str, Any]) -> None:
        if event["requestId"] in sent:
            load.bytes += int(event["encodedDataLength"])
            load.requests += 1

    network.on("Network.requestWillBeSent", send)
    network.on("Network.loadingFinished", count)
    await page.goto(address + path)
    # The page with its fonts and scripts; what the live connection brings comes later.
    await page.evaluate("document.fonts.ready")
    await network.detach()
    await page.emulate_media(reduced_motion="reduce")
    load.findings = (await Axe().run(page)).violations_count
    await context.close()
    return load


def _fragment_rows(options: argparse.Namespace, times: dict[str, list[float]], sizes: list[int]) -> list[Row]:
    every = [value for values in times.values() for value in values]
    slowest = max(times, key=lambda name: p95(times[name]))
    note = f"{options.pages:,} pages, one request at a time; goal {FRAGMENT_GOAL:g}"
    return [
        Row("list fragment, p95", "ours", p95(every), "ms", note),
        Row("list fragment of the slowest filter, p95", "ours", p95(times[slowest]), "ms", slowest),
        Row("list fragment, largest", "ours", max(sizes) / 1_000, "kB", f"gzip; goal {FRAGMENT_KB:g}"),
    ]


def _load_rows(loads: dict[str, Load]) -> list[Row]:
    if not loads:
        return [Row("first load", "ours", None, "kB", "no Chromium here")]
    heaviest = max(loads, key=lambda path: loads[path].bytes)
    most = max(loads, key=lambda path: loads[path].requests)
    errors = [error for load in loads.values() for error in load.errors]
    goal = f"goal at most {LOAD_KB:g}"
    return [
        Row("first load, heaviest page", "ours", loads[heaviest].bytes / 1_000, "kB", f"{heaviest}; {goal}"),
        Row(
            "first load, requests", "ours", loads[most].requests, "", f"{most}; goal at most {LOAD_REQUESTS}"
        ),
        Row("axe findings", "ours", sum(load.findings for load in loads.values()), "", f"{len(loads)} pages"),
        Row("console messages", "ours", len(errors), "", "; ".join(errors)[:200]),
        Row("requests to other hosts", "ours", sum(len(load.foreign) for load in loads.values()), "", ""),
    ]


def _own_rows() -> list[Row]:
    """Our own files as a page loads them, compressed: styles, the scripts of all pages, the largest other."""
    sizes = {name: len(asset.compressed or b"") / 1_000 for name, asset in load_assets().files.items()}
    always = ("js/main.js", "js/theme.js", "js/palette.js")
    other = max(size for name, size in sizes.items() if name.startswith("js/") and name not in always)
    sheet = max(size for name, size in sizes.items() if name in ("css/list.css", "css/pages.css"))
    note = f"gzip, of one page; goal at most {OWN_KB:g}"
    return [
        Row("our own JavaScript", "ours", sum(sizes[name] for name in always) + other, "kB", note),
        Row("our own CSS", "ours", sizes["css/console.css"] + sheet, "kB", note),
    ]
