"""A DNS server on loopback that answers by rule, and counts what it was asked."""

from __future__ import annotations

import socket
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from dnslib import AAAA, CNAME, QTYPE, RCODE, RR, A, DNSHeader, DNSRecord

Answers = list[str] | str | None
AllowRule = Callable[[int], Answers]


class NameServer:
    """`rules[name](n)` gives the n-th answer for a name: addresses, "->name" for an alias, or a word."""

    def __init__(self) -> None:
        self.rules: dict[str, AllowRule] = {}
        self.asked: defaultdict[str, int] = defaultdict(int)
        self.port = 0

    def reply(self, data: bytes) -> bytes | None:
        query = DNSRecord.parse(data)
        name = str(query.q.qname).rstrip(".").lower()
        answer = DNSRecord(DNSHeader(id=query.header.id, qr=1, aa=1, ra=1), q=query.q)
        rule = self.rules.get(name)
        if query.q.qtype == QTYPE.A:
            self.asked[name] += 1
        result = rule(self.asked[name]) if rule else "NXDOMAIN"
        if result == "silent" or result is None:
            return None
        if result == "slow":
            time.sleep(7)
            result = ["127.0.0.1"]
        if isinstance(result, str):
            answer.header.rcode = getattr(RCODE, result)
        else:
            self.add(answer, name, query.q.qtype, result)
        return bytes(answer.pack())

    def add(self, answer: DNSRecord, name: str, kind: int, targets: list[str]) -> None:
        for target in targets:
            if target.startswith("->"):
                answer.add_answer(RR(name, QTYPE.CNAME, rdata=CNAME(target[2:]), ttl=0))
                rule = self.rules.get(target[2:])
                following = rule(1) if rule and target[2:] != name else []
                if isinstance(following, list) and not any(t.startswith("->") for t in following):
                    self.add(answer, target[2:], kind, following)
            elif ":" in target and kind == QTYPE.AAAA:
                answer.add_answer(RR(name, QTYPE.AAAA, rdata=AAAA(target), ttl=0))
            elif ":" not in target and kind == QTYPE.A:
                answer.add_answer(RR(name, QTYPE.A, rdata=A(target), ttl=0))

    def over_udp(self, sock: socket.socket) -> None:
        while True:
            try:
                data, client = sock.recvfrom(4096)
            except OSError:
                return
            if not data:
                return
            reply = self.reply(data)
            if reply is None:
                continue
            if len(reply) > 1200:
                cut = DNSRecord.parse(data).reply()
                cut.header.tc = 1
                reply = bytes(cut.pack())
            sock.sendto(reply, client)

    def over_tcp(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            with client:
                size = int.from_bytes(client.recv(2), "big")
                reply = self.reply(client.recv(size)) if size else None
                if reply is not None:
                    client.sendall(len(reply).to_bytes(2, "big") + reply)


@contextmanager
def name_server(host: str = "127.0.0.1", port: int = 0) -> Iterator[NameServer]:
    server = NameServer()
    udp, tcp = _both_sockets(host, port)
    server.port = udp.getsockname()[1]
    threads = [
        threading.Thread(target=server.over_udp, args=(udp,), daemon=True),
        threading.Thread(target=server.over_tcp, args=(tcp,), daemon=True),
    ]
    for thread in threads:
        thread.start()
    try:
        yield server
    finally:
        for sock in (udp, tcp):
            # Closing alone would not wake the thread that waits on it.
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()
        for thread in threads:
            thread.join(8)


def _both_sockets(host: str, port: int) -> tuple[socket.socket, socket.socket]:
    """One port for both protocols; a port that is free for one may be taken for the other."""
    for _ in range(20):
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            udp.bind((host, port))
            return udp, socket.create_server((host, udp.getsockname()[1]))
        except OSError:
            udp.close()
    raise OSError(f"no port of {host} is free for both protocols")
