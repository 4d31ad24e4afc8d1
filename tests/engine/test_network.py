"""Our own network being unavailable pauses the stages that fetch; dead hosts alone never do."""

from __future__ import annotations

import asyncio
import socket
from datetime import timedelta

import pytest
from lab import PAGES, QUICK, add, counts, pages, rows, settled, stage, until, working

from scrapersky.engine.network import NetworkMonitor
from scrapersky.engine.outcome import Discard
from scrapersky.fetch.egress.test_overrides import parse_connect_to, parse_egress_allow
from scrapersky.fetch.limits import FetchOptions
from scrapersky.fetch.network_probe import NetworkProbe, parse_probe_hosts


class NoRoute(Exception):
    """What a host looks like from a machine without a network."""

    is_network = True
    hurts_host = True


class Net:
    """A network that can be taken away; `dead` hosts never answer."""

    def __init__(self, *, dead: bool = False) -> None:
        self.is_there, self.dead, self.probes = True, dead, 0
        self.alerts: list[tuple[str, str]] = []
        self.resolved: list[str] = []

    async def probe(self) -> bool:
        self.probes += 1
        return self.is_there

    async def look(self, item, context):
        await asyncio.sleep(0.005)
        if self.dead or not self.is_there:
            raise NoRoute("no route")

    async def alert(self, kind, text):
        self.alerts.append((kind, text))

    async def resolve(self, kind, subject):
        self.resolved.append(kind)

    def working(self, lab):
        monitor = NetworkMonitor(self.probe, failures=3)
        visit = stage(self.look, table=pages, queue=PAGES)
        return working(lab, visit, options=QUICK, network=monitor, alert=self.alert, resolve=self.resolve)


async def put(lab, number):
    for one in range(number):
        await add(lab, 1, table=pages, host=f"host-{one}")


def events(worker):
    return [line["event"] for line in worker.lines if line["event"].startswith("network")]


async def test_an_outage_pauses_the_stages_and_no_row_fails(lab, monkeypatch):
    """The rows wait, log and alert say why, and work resumes automatically when the network is back."""
    monkeypatch.setattr("scrapersky.engine.network.PROBE_AGAIN", 0.05)
    monkeypatch.setattr("scrapersky.engine.runner.NETWORK_WAIT", timedelta(0))
    net = Net()
    net.is_there = False
    await put(lab, 30)
    async with net.working(lab) as worker:
        await until(lambda: asyncio.sleep(0, worker.network.is_away))
        await until(lambda: _nothing_runs(lab))
        before = await rows(lab, pages)
        await asyncio.sleep(0.4)
        after = await rows(lab, pages)
        assert {row["status"] for row in after} == {"Queued"}
        assert [row["lease_seq"] for row in after] == [row["lease_seq"] for row in before], "it still claims"
        assert sum(row["retries"] for row in after) <= 30, "no row loses more than one try"
        assert [kind for kind, _ in net.alerts] == ["network_unavailable"]
        assert any("Our own network or DNS is unavailable: no route" in (row["error"] or "") for row in after)

        net.is_there = True
        assert await settled(lab, pages) == {"Complete": 30}
        assert events(worker) == ["network_unavailable", "network_available"]
    assert net.resolved == ["network_unavailable"]


async def test_rows_are_released_when_the_stop_comes_during_a_probe(lab):
    probing = asyncio.Event()

    async def probe():
        probing.set()
        await asyncio.Event().wait()

    net = Net(dead=True)
    net.probe = probe
    await put(lab, 5)
    async with net.working(lab):
        await probing.wait()

    found = await rows(lab, pages)
    assert {row["status"] for row in found} == {"Queued"}
    assert sum(row["retries"] for row in found) <= 2, "what was cut off counts no try"


async def test_a_broken_probe_is_reported_and_no_row_stays_in_work(lab, monkeypatch):
    """Neither the first probe nor one during an outage may leave rows, hosts or the pause behind."""
    monkeypatch.setattr("scrapersky.engine.network.PROBE_AGAIN", 0.05)
    monkeypatch.setattr("scrapersky.engine.network.PROBE_HOLDS", 0.0)
    answers = iter([False, False])

    async def probe():
        for answer in answers:
            return answer
        raise RuntimeError("the probe is broken")

    net = Net(dead=True)
    net.probe = probe
    await put(lab, 5)
    async with net.working(lab) as worker:
        await until(lambda: asyncio.sleep(0, any("broken" in text for _, text in net.alerts)))
        assert not worker.network.is_away
        await until(lambda: _nothing_runs(lab))

    assert any(row["error"] == "the probe is broken" for row in await rows(lab, pages))


async def _nothing_runs(lab):
    return not (await counts(lab, pages)).get("Processing")


async def test_a_list_of_dead_hosts_pauses_nothing(lab):
    net = Net(dead=True)
    await put(lab, 20)
    async with net.working(lab) as worker:
        assert await settled(lab, pages, seconds=40) == {"Error": 20}
        assert events(worker) == []
    assert net.alerts == []
    # The probe's answer holds for a while: one connection, not one for every dead host.
    assert net.probes <= 3


async def test_a_row_on_its_last_try_is_not_lost_to_an_outage():
    """One host alone is not many hosts, but before a dead letter is made the network is probed."""
    net = Net()
    net.is_there = False
    monitor = NetworkMonitor(net.probe, failures=5)

    assert not await monitor.is_ours(NoRoute(), "a", is_last_try=False)
    assert await monitor.is_ours(NoRoute(), "a", is_last_try=True)
    assert not await NetworkMonitor().is_ours(NoRoute(), "a", is_last_try=True), "no probe, no verdict"
    await monitor.close()


@pytest.mark.parametrize("answer", [Discard("410"), OSError("refused"), None])
async def test_any_answer_between_failures_shows_that_the_network_is_there(answer):
    net = Net()
    net.is_there = False
    monitor = NetworkMonitor(net.probe, failures=3)
    for host in ("a", "b", "c", "d"):
        assert not await monitor.is_ours(NoRoute(), host, is_last_try=False)
        if answer is None:
            monitor.succeeded()
        else:
            assert not await monitor.is_ours(answer, host, is_last_try=False)
    assert net.probes == 0


async def test_the_probe_connects_and_sends_nothing():
    got = []

    async def listen(reader, writer):
        got.append(await reader.read())
        writer.close()

    server = await asyncio.start_server(listen, "127.0.0.1", 0)
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        closed, port = nobody.getsockname()[1], server.sockets[0].getsockname()[1]
        options = FetchOptions(
            "test (+https://lab.example/)",
            egress_allow=parse_egress_allow(f"127.0.0.1:{port},127.0.0.1:{closed}"),
            connect_to=parse_connect_to(
                f"up.example:443:127.0.0.1:{port},down.example:443:127.0.0.1:{closed}"
            ),
        )
        assert await NetworkProbe(parse_probe_hosts("down.example, up.example"), options)()
        assert not await NetworkProbe(parse_probe_hosts("down.example:443"), options)()
    await asyncio.sleep(0.05)
    server.close()
    assert got == [b""]
