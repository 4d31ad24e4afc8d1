"""Overture Places in object storage: a search reads what it needs, and no failure gives a wrong answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest

from fetch.rig import open_fetcher
from scrapersky.errors import SourceError
from scrapersky.fetch.client import Fetcher
from scrapersky.fetch.errors import PermanentFailure
from scrapersky.queries.installation.integrations import check_integration
from scrapersky.settings import load_settings
from scrapersky.sources import make_sources
from scrapersky.sources.box import Box
from scrapersky.sources.object_store import ObjectStore
from scrapersky.sources.overture import OvertureSource, check_overture, overture_entry
from scrapersky.sources.parquet_query import QueryLimits
from scrapersky.sources.remote_parquet import RemoteParquet
from scrapersky.sources.request_signature import BucketKey
from scrapersky.wiring import fetch_options, integrations, source_options
from scrapersky_demo.contracts.object_storage import ObjectStorageServer, serve_object_storage
from scrapersky_demo.overture_file import write_sample

FOLDER = "release/2026-10-22.0/theme=places/type=place/"
ADDRESS = f"s3://overture-demo/{FOLDER}"
CITY = Box(52.4, 13.2, 52.6, 13.5)
BOXES = {"a city": CITY, "over the 180th meridian": Box(-40, 175, 40, -170), "nowhere": Box(-89, 10, -88, 11)}


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two files whose rows lie near their neighbours, as those of a release do."""
    folder = tmp_path_factory.mktemp("release")
    write_sample(folder / "shuffled", 40_000, row_group=5_000)
    files = [folder / "part-0.parquet", folder / "part-1.parquet"]
    with duckdb.connect(":memory:") as connection:
        connection.read_parquet(str(folder / "shuffled")).create_view("places")
        for number, file in enumerate(files):
            connection.execute(
                "COPY (SELECT * FROM places WHERE (bbox.xmin > 0)::INTEGER = " + str(number) + " ORDER BY"
                " floor(bbox.xmin / 5), bbox.ymin) TO '"
                + str(file)
                + "' (FORMAT parquet, ROW_GROUP_SIZE 2048)"
            )
    return files


@pytest.fixture
def storage(release: list[Path]) -> ObjectStorageServer:
    objects = {FOLDER + file.name: file.read_bytes() for file in release}
    return ObjectStorageServer({"overture-demo": {**objects, FOLDER + "readme.txt": b"no table"}})


@asynccontextmanager
async def remote(
    storage: ObjectStorageServer,
    address: str = ADDRESS,
    *,
    allow: str | None = None,
    max_mib: int = 100,
    credentials: BucketKey | None = None,
) -> AsyncIterator[RemoteParquet]:
    async with serve_object_storage(storage) as endpoint:
        port = int(endpoint.rpartition(":")[2])
        async with open_fetcher(port, allow=allow, connect_to="") as fetcher:
            waits = (0.01, 0.02, 0.03)
            store = ObjectStore(fetcher, endpoint, credentials=credentials, waits=waits)
            address = address.replace("ENDPOINT", endpoint)
            yield RemoteParquet(store, address, max_mib=max_mib, limits=QueryLimits())


async def search(storage: ObjectStorageServer, box: Box = CITY, **options: Any) -> Any:
    async with remote(storage, **options) as files:
        return await OvertureSource(ADDRESS, remote=files).search("dentist", "", {"box": box.to_json()})


@pytest.mark.parametrize("box", BOXES.values(), ids=BOXES)
async def test_the_answer_is_that_of_the_same_files_on_our_disk(
    storage: ObjectStorageServer, release: list[Path], box: Box
) -> None:
    on_disk = await OvertureSource(str(release[0].parent)).search("dentist", "", {"box": box.to_json()})
    assert await search(storage, box) == on_disk
    assert bool(on_disk) == (box != BOXES["nowhere"])


async def test_only_the_parts_that_may_hold_a_place_are_read(
    storage: ObjectStorageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With small first reads, because the files of a test are smaller than the end of a real one."""
    monkeypatch.setattr("scrapersky.sources.remote_parquet.FIRST_END", 4_096)
    found = await search(storage)
    assert len(found) > 10
    sizes = {
        f"overture-demo/{key}": len(content) for key, content in storage.buckets["overture-demo"].items()
    }
    east, west = f"overture-demo/{FOLDER}part-1.parquet", f"overture-demo/{FOLDER}part-0.parquet"
    assert storage.read[east] < sizes[east] / 2
    assert storage.read[west] < sizes[west] / 5, "nothing but its end: the city lies in the other file"
    assert not any("readme" in request for request in storage.requests)


async def test_a_folder_is_listed_page_by_page(storage: ObjectStorageServer) -> None:
    storage.keys_per_page = 1
    everything = await search(storage)
    assert sum("list-type" in request for request in storage.requests) == 3
    storage.keys_per_page = 1_000
    assert await search(storage) == everything


async def test_a_file_is_read_by_its_address(storage: ObjectStorageServer) -> None:
    by_key = await search(storage, address=f"{ADDRESS}part-1.parquet")
    by_url = await search(storage, address=f"ENDPOINT/overture-demo/{FOLDER}part-1.parquet")
    assert by_key == by_url == await search(storage)


async def test_cuts_and_busy_servers_are_outlasted(storage: ObjectStorageServer) -> None:
    expected = await search(storage)
    storage.faults.queue = ["drop", 503, None, "cut", (429, 1), 500, None, "drop"]
    assert await search(storage) == expected
    assert storage.faults.queue == []


@pytest.mark.parametrize(
    ("faults", "reason"),
    [([503] * 4, "HTTP 503"), (["drop"] * 4, "closed"), ([301], "redirects")],
    ids=["busy", "cut", "moved"],
)
async def test_a_server_that_keeps_failing_is_named_with_the_reason(
    storage: ObjectStorageServer, faults: list[Any], reason: str
) -> None:
    storage.faults.queue = faults
    with pytest.raises(SourceError, match=reason):
        await search(storage)


async def test_what_not_everybody_may_read_is_refused_at_once(storage: ObjectStorageServer) -> None:
    storage.private.add("overture-demo")
    with pytest.raises(SourceError, match="HTTP 403; the bucket is private"):
        await search(storage)
    assert len(storage.requests) == 1


async def test_a_private_bucket_is_read_by_signed_requests(storage: ObjectStorageServer) -> None:
    in_public = await search(storage)
    storage.private.add("overture-demo")
    storage.keys_per_page = 1
    storage.credentials = BucketKey("demo", "a secret", "eu-central-1")
    assert await search(storage, credentials=storage.credentials) == in_public
    assert in_public
    for wrong in (BucketKey("demo", "another", "eu-central-1"), BucketKey("demo", "a secret")):
        with pytest.raises(SourceError, match="HTTP 403; the bucket is private"):
            await search(storage, credentials=wrong)


async def test_only_s3_addresses_get_a_signature(storage: ObjectStorageServer) -> None:
    storage.private.add("overture-demo")
    storage.credentials = BucketKey("demo", "a secret")
    address = f"ENDPOINT/overture-demo/{FOLDER}part-0.parquet"
    with pytest.raises(SourceError, match="HTTP 403"):
        await search(storage, address=address, credentials=storage.credentials)


async def test_a_file_that_changes_between_two_parts_is_not_mixed(
    storage: ObjectStorageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scrapersky.sources.remote_parquet.FIRST_END", 1_024)
    key = f"{FOLDER}part-1.parquet"
    async with remote(storage, f"{ADDRESS}part-1.parquet") as files:
        real = files._store.open_end

        async def open_end(url: str, length: int) -> Any:
            opened = await real(url, length)
            storage.buckets["overture-demo"][key] = b"\0" * opened[0].size
            return opened

        monkeypatch.setattr(files._store, "open_end", open_end)
        with pytest.raises(SourceError, match="changed while it was read"):
            await OvertureSource(ADDRESS, remote=files).search("dentist", "", {"box": CITY.to_json()})


async def test_what_is_no_range_no_table_or_nothing_is_refused(storage: ObjectStorageServer) -> None:
    with pytest.raises(SourceError, match="holds no file"):
        await search(storage, address="s3://overture-demo/other/")
    with pytest.raises(SourceError, match="names no bucket"):
        await search(storage, address="s3:///release/")
    storage.buckets["overture-demo"][f"{FOLDER}part-1.parquet"] = b"not a table at all"
    with pytest.raises(SourceError, match="is not a Parquet file"):
        await search(storage)
    storage.answers_ranges = False
    with pytest.raises(SourceError, match="does not answer requests for a range"):
        await search(storage)


async def test_a_search_reads_no_more_than_its_limit(storage: ObjectStorageServer) -> None:
    with pytest.raises(SourceError, match="OPEN_DATA_DOWNLOAD_MIB"):
        await search(storage, Box(-80, -179, 80, 179), max_mib=1)


async def test_a_private_address_is_not_called(storage: ObjectStorageServer) -> None:
    """The rules for other people's hosts hold for object storage, too."""
    for address in ("https://10.0.0.8/a.parquet", "http://169.254.169.254/a.parquet", ADDRESS):
        with pytest.raises(PermanentFailure):
            await search(storage, address=address, allow="")
    assert storage.requests == []


async def test_the_check_counts_the_places_from_the_ends_of_the_files(storage: ObjectStorageServer) -> None:
    async with remote(storage) as files:
        answer = await check_overture(ADDRESS, QueryLimits(), files)
    assert answer == f"ok: 40,000 places in 2 files of {ADDRESS}"


async def test_nothing_stays_on_our_disk(
    storage: ObjectStorageServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    await search(storage)
    storage.faults.queue = [404]
    with pytest.raises(SourceError):
        await search(storage)
    assert list(tmp_path.iterdir()) == []


def test_a_source_in_object_storage_is_ready_without_a_request() -> None:
    state = overture_entry(ADDRESS).state()
    assert (state.is_ready, state.detail, str(state.data_date)) == (True, ADDRESS, "2026-10-22")


async def test_the_settings_lead_to_object_storage(storage: ObjectStorageServer) -> None:
    """What a worker searches and what `integration test overture` asks."""
    async with serve_object_storage(storage) as endpoint:
        settings = load_settings(
            env_file=None,
            environment={
                "OVERTURE_PATH": ADDRESS,
                "S3_ENDPOINT": endpoint,
                "EGRESS_ALLOW": endpoint.removeprefix("http://"),
            },
        )
        result = await check_integration(integrations(settings)["overture"])
        assert (result.status, result.message) == ("ok", f"40,000 places in 2 files of {ADDRESS}")
        async with Fetcher(fetch_options(settings)) as fetcher:
            source = make_sources(fetcher, source_options(settings))["overture"]
            assert len(await source.search("dentist", "", {"box": CITY.to_json()})) > 10
