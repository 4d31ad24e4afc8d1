"""TLS: certificates and names are checked, old versions refused, each with its class (B18, HTTP-13)."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import warnings
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme
from hostile import HostileServer, hostile_server
from rig import QUICK, open_fetcher

from scrapersky.fetch.client import Fetcher
from scrapersky.fetch.errors import HostFailure, TLSFailed

HOST = "shop.example"


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def trusted(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("tls") / "authority.pem"
    authority.cert_pem.write_to_path(str(path))
    return str(path)


def context_for(issuer: trustme.CA, *names: str, **options: object) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    issuer.issue_cert(*names, **options).configure_cert(context)  # type: ignore[arg-type]
    return context


@contextlib.asynccontextmanager
async def serving(tls: ssl.SSLContext, trusted: str) -> AsyncIterator[tuple[Fetcher, HostileServer]]:
    async with hostile_server(tls=tls) as server, open_fetcher(server.port, ca_file=trusted) as fetcher:
        yield fetcher, server


async def test_a_good_certificate_is_accepted(authority: trustme.CA, trusted: str) -> None:
    async with serving(context_for(authority, HOST), trusted) as (fetcher, _):
        page = await fetcher.get(f"https://{HOST}/ok")
    assert page.body == b"<p>hello</p>"


async def test_many_names_on_a_certificate_are_no_trouble(authority: trustme.CA, trusted: str) -> None:
    names = [HOST, *(f"name{n}.example" for n in range(1000))]
    async with serving(context_for(authority, *names), trusted) as (fetcher, _):
        assert (await fetcher.get(f"https://{HOST}/ok")).status == 200


def expired(authority: trustme.CA) -> ssl.SSLContext:
    return context_for(authority, HOST, not_after=datetime.now(UTC) - timedelta(days=1))


def other_host(authority: trustme.CA) -> ssl.SSLContext:
    return context_for(authority, "other.example")


def stranger(authority: trustme.CA) -> ssl.SSLContext:
    return context_for(trustme.CA(), HOST)


def chainless(authority: trustme.CA) -> ssl.SSLContext:
    """A certificate of an intermediate authority, sent without the intermediate's own."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    leaf = authority.create_child_ca().issue_cert(HOST)
    with leaf.cert_chain_pems[0].tempfile() as chain, leaf.private_key_pem.tempfile() as key:
        context.load_cert_chain(chain, key)
    return context


def old_version(authority: trustme.CA) -> ssl.SSLContext:
    context = context_for(authority, HOST)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    return context


def self_signed(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    alone = trustme.CA()
    with alone.cert_pem.tempfile() as certificate, alone.private_key_pem.tempfile() as key:
        context.load_cert_chain(certificate, key)
    return context


def unknown_name(authority: trustme.CA) -> ssl.SSLContext:
    """A server that knows no site by the name it is asked for."""
    context = context_for(authority, HOST)
    context.sni_callback = lambda *_: ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME
    return context


def another_name(authority: trustme.CA) -> ssl.SSLContext:
    """A server that shows the certificate of another of its sites."""
    context, other = context_for(authority, HOST), context_for(authority, "other.example")

    def switch(connection: ssl.SSLObject, *_: object) -> None:
        connection.context = other

    context.sni_callback = switch
    return context


def of_size(authority: trustme.CA, names: int) -> ssl.SSLContext:
    return context_for(
        authority, "other.example", *(f"a-rather-long-name-{n:06}.example" for n in range(names))
    )


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (expired, {"tls_expired"}),
        (other_host, {"tls_wrong_host"}),
        (stranger, {"tls_untrusted"}),
        (chainless, {"tls_untrusted"}),
        (self_signed, {"tls_self_signed"}),
        (old_version, {"tls_version", "tls_failed"}),
        (unknown_name, {"tls_failed"}),
        (another_name, {"tls_wrong_host"}),
        (lambda authority: of_size(authority, 1_900), {"tls_wrong_host", "tls_failed"}),
        (lambda authority: of_size(authority, 5_000), {"tls_failed"}),
    ],
)
async def test_a_bad_certificate_is_refused_with_its_class(
    authority: trustme.CA, trusted: str, make: object, words: set[str]
) -> None:
    async with serving(make(authority), trusted) as (fetcher, server):  # type: ignore[operator]
        with pytest.raises(TLSFailed) as caught:
            await fetcher.get(f"https://{HOST}/ok", limits=QUICK)
    assert caught.value.failure_class in words
    assert server.hits == {}


async def test_plain_text_where_tls_was_meant_is_refused(trusted: str) -> None:
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    listener = await asyncio.start_server(plain, "127.0.0.1", 0)
    async with open_fetcher(listener.sockets[0].getsockname()[1], ca_file=trusted) as fetcher:
        with pytest.raises(TLSFailed):
            await fetcher.get(f"https://{HOST}/ok", limits=QUICK)
    listener.close()
    await asyncio.sleep(0.01)


async def test_a_handshake_that_never_ends_is_cut_off(trusted: str) -> None:
    async def stall(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.CancelledError):
            for byte in b"\x16\x03\x03\x40\x00" + b"\x02" * 1000:
                writer.write(bytes([byte]))
                await asyncio.sleep(0.1)
        writer.transport.abort()

    listener = await asyncio.start_server(stall, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    started = asyncio.get_running_loop().time()
    async with open_fetcher(port, ca_file=trusted, obey_robots=False) as fetcher:
        with pytest.raises(HostFailure) as caught:
            await fetcher.get(f"https://{HOST}/ok", limits=QUICK)
    listener.close()
    await asyncio.sleep(0.2)
    assert caught.value.failure_class in ("timeout", "tls_failed")
    assert asyncio.get_running_loop().time() - started < 4


def test_no_setting_turns_verification_off() -> None:
    sources = (Path(__file__).parents[3] / "src/scrapersky/fetch").rglob("*.py")
    assert not [
        path for path in sources if "CERT_NONE" in path.read_text() or "ssl=False" in path.read_text()
    ]
