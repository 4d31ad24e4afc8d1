"""What the demo server was asked and when, so that politeness is measured where it is felt."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple


class Request(NamedTuple):
    """One request; `start` and `end` are seconds of the server's monotonic clock."""

    start: float
    end: float
    host: str
    method: str
    target: str
    status: int
    sent: int


@dataclass(frozen=True, slots=True)
class HostTraffic:
    """How one host was treated: most requests at once, and the shortest pause between two of them."""

    host: str
    requests: int
    most_at_once: int
    shortest_gap: float | None


class RequestLog(list[Request]):
    """All requests in the order in which they ended."""

    def save(self, path: Path) -> None:
        with path.open("w", encoding="utf-8") as file:
            file.writelines(_line(request) for request in self)

    @classmethod
    def load(cls, path: Path) -> "RequestLog":
        with path.open(encoding="utf-8") as file:
            return cls(_request(line) for line in file)

    def by_host(self) -> dict[str, list[Request]]:
        hosts: dict[str, list[Request]] = {}
        for request in self:
            hosts.setdefault(request.host, []).append(request)
        return hosts

    def traffic(self) -> list[HostTraffic]:
        return [_host_traffic(host, requests) for host, requests in sorted(self.by_host().items())]


def _line(request: Request) -> str:
    fields = (f"{request.start:.6f}", f"{request.end:.6f}", *map(str, request[2:]))
    return "\t".join(fields) + "\n"


def _request(line: str) -> Request:
    start, end, host, method, target, status, sent = line.rstrip("\n").split("\t")
    return Request(float(start), float(end), host, method, target, int(status), int(sent))


def _host_traffic(host: str, requests: Iterable[Request]) -> HostTraffic:
    """The gap is from the end of one answer to the start of the next request; negative when they overlap."""
    ordered = sorted(requests)
    events = sorted([(request.start, 1) for request in ordered] + [(request.end, -1) for request in ordered])
    running = concurrent = 0
    for _, change in events:
        running += change
        concurrent = max(concurrent, running)
    gaps = [later.start - earlier.end for earlier, later in pairwise(ordered)]
    return HostTraffic(host, len(ordered), concurrent, min(gaps, default=None))
