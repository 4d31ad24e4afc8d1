"""Run as a program in a network namespace of its own: canaries on inner addresses, and a real fetcher.

Every special address and some public ones are put on the loopback device; listeners on ports 80 and 443 note
which address was reached. The SSRF check is as in production: nothing is allowed by setting.
"""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import threading
from collections import Counter
from ipaddress import ip_address

from name_server import NameServer, name_server
from rig import AGENT
from special_addresses import INNER, LOOPBACK, NEIGHBOURS, SPECIAL, disguises, edges

from scrapersky.fetch.client import Fetcher
from scrapersky.fetch.errors import Failure
from scrapersky.fetch.limits import FetchOptions, Limits
from scrapersky.fetch.politeness.slots import LocalHostSlots, RateLimit

PUBLIC = "8.8.8.8"
REACHED: Counter[str] = Counter()
DNS_PORT = 5353
QUICK = Limits(deadline=2, connect=1, first_byte=1)


def refuse_outside() -> None:
    """Without this check a run by mistake on a connected machine would dial real addresses."""
    routes = subprocess.run(["ip", "route"], capture_output=True, text=True, check=True).stdout
    routes += subprocess.run(["ip", "-6", "route"], capture_output=True, text=True, check=True).stdout
    links = subprocess.run(["ip", "-o", "link"], capture_output=True, text=True, check=True).stdout
    if "default" in routes or len(links.splitlines()) != 1:
        sys.exit("not inside a namespace of its own")


def lend(addresses: list[str]) -> None:
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    lines = [
        f"addr add {ip}/{128 if ':' in ip else 32} dev lo {'nodad' if ':' in ip else ''}" for ip in addresses
    ]
    subprocess.run(["ip", "-force", "-batch", "-"], input="\n".join(lines), text=True, capture_output=True)


class Site:
    """Answers on every address; a path may say where to redirect to."""

    def listen(self) -> None:
        for family, host in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):
            for port in (80, 443):
                listener = socket.socket(family)
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                listener.bind((host, port))
                listener.listen(512)
                threading.Thread(target=self.accept, args=(listener,), daemon=True).start()

    def accept(self, listener: socket.socket) -> None:
        while True:
            client, _ = listener.accept()
            REACHED[str(ip_address(client.getsockname()[0].split("%")[0]))] += 1
            threading.Thread(target=self.answer, args=(client,), daemon=True).start()

    def answer(self, client: socket.socket) -> None:
        with client:
            client.settimeout(2)
            try:
                head = client.recv(65_536)
                target = head.split(b" ")[1]
                client.sendall(self.reply(target))
            except (OSError, IndexError):
                return

    def reply(self, target: bytes) -> bytes:
        kind, _, onward = target.partition(b"?to=")
        if kind == b"/robots.txt":
            return b"HTTP/1.1 404 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        if onward:
            status = {b"/301": b"301", b"/303": b"303", b"/307": b"307", b"/308": b"308"}.get(kind, b"302")
            return b"HTTP/1.1 %s Moved\r\nLocation: %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" % (
                status,
                onward,
            )
        refresh = b"Refresh: 0; url=http://inner.test/\r\n" if kind == b"/refresh" else b""
        body = b'<meta http-equiv="refresh" content="0;url=http://inner.test/">ok'
        return b"HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (
            refresh,
            len(body),
            body,
        )


def fetcher() -> Fetcher:
    options = FetchOptions(AGENT, name_servers=(f"127.0.0.1:{DNS_PORT}",), dns_seconds=2)
    return Fetcher(options, slots=LocalHostSlots(RateLimit(delay=0, errors_before_pause=10**9)))


async def word_for(client: Fetcher, url: str) -> str:
    try:
        return str((await client.get(url, limits=QUICK)).status)
    except Failure as failure:
        return failure.failure_class


def reachable(ip: str) -> bool:
    """Whether a connection that the SSRF check missed would be seen."""
    try:
        with socket.create_connection((ip, 80), timeout=1):
            return True
    except OSError:
        return False


def inner_addresses() -> list[str]:
    blocks = [ip for block in SPECIAL for ip in edges(block)]
    forms = [form for inner in INNER for form in disguises(inner)]
    return list(dict.fromkeys(str(ip_address(ip)) for ip in [*blocks, *INNER, *forms]))


def inner_hits() -> dict[str, int]:
    # The name server itself is asked over 127.0.0.1, but not on these ports.
    return {
        ip: count
        for ip, count in REACHED.items()
        if ip not in {PUBLIC, *(str(ip_address(n)) for n in NEIGHBOURS)}
    }


def naming(names: NameServer, addresses: list[str], stem: str) -> list[str]:
    """URLs whose names resolve to these addresses."""
    for number, ip in enumerate(addresses):
        names.rules[f"{stem}{number}.test"] = lambda n, ip=ip: [ip]
    return [f"http://{stem}{number}.test/" for number in range(len(addresses))]


async def words_for(client: Fetcher, urls: list[str]) -> dict[str, int]:
    return Counter([await word_for(client, url) for url in urls])


async def run(full: bool) -> dict[str, object]:
    inner = inner_addresses()
    visible = [ip for ip in inner if reachable(ip)]
    # The listeners count a connection some time after it was made; none of these may be counted later.
    for _ in range(100):
        await asyncio.sleep(0.1)
        if sum(REACHED.values()) >= len(visible):
            break
    REACHED.clear()
    with name_server("127.0.0.1", DNS_PORT) as names:
        names.rules["public.test"] = lambda n: [PUBLIC]
        names.rules["inner.test"] = lambda n: ["10.0.0.1"]
        async with fetcher() as client:
            report = {
                "visible": len(visible),
                "B1": await words_for(client, naming(names, inner, "inner")),
                "neighbours": await words_for(client, naming(names, NEIGHBOURS, "outer")),
                "B2": await words_for(client, LOOPBACK),
                "B3": await rebinding(client, names, 1000 if full else 100),
                "B4": await redirects(client, inner if full else inner[::7]),
            }
            await asyncio.sleep(0.3)
    return {**report, "hits": inner_hits(), "public": REACHED[PUBLIC]}


async def rebinding(client: Fetcher, names: NameServer, times: int) -> dict[str, int]:
    rules = names.rules
    rules["flip.test"] = lambda n: [PUBLIC] if n % 2 else ["10.0.0.1"]
    rules["two.test"] = lambda n: [PUBLIC, "169.254.169.254"]
    rules["mixed.test"] = lambda n: [PUBLIC, "::1", "fd00:ec2::254"]
    rules["alias.test"] = lambda n: ["->inner.test"]
    hosts = ("flip", "two", "mixed", "alias", "flip")
    return await words_for(client, [f"http://{hosts[number % 5]}.test/{number}" for number in range(times)])


async def redirects(client: Fetcher, inner: list[str]) -> dict[str, int]:
    codes = ("301", "302", "303", "307", "308")
    literals = [f"[{ip}]" if ":" in ip else ip for ip in inner]
    urls = [f"http://public.test/{codes[n % 5]}?to=http://{ip}/" for n, ip in enumerate(literals)]
    targets = ("http://inner.test/", "//inner.test/", "https://inner.test/", "file:///etc/passwd")
    urls += [f"http://public.test/302?to={target}" for target in targets]
    return await words_for(client, [*urls, "http://public.test/refresh", "http://public.test/meta"])


def main() -> None:
    refuse_outside()
    lend([*inner_addresses(), *NEIGHBOURS, PUBLIC])
    Site().listen()
    sys.stdout.write(json.dumps(asyncio.run(run("--full" in sys.argv))))


if __name__ == "__main__":
    main()
