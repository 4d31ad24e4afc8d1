"""Where places come from: one module for each source, one small protocol."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scrapersky.sources.catalog import SourceEntry
from scrapersky.sources.csv_file import CSVSource
from scrapersky.sources.object_store import ObjectStore, is_remote
from scrapersky.sources.openstreetmap.source import openstreetmap_entry
from scrapersky.sources.overture import OvertureSource, overture_entry
from scrapersky.sources.parquet_query import QueryLimits
from scrapersky.sources.remote_parquet import RemoteParquet
from scrapersky.sources.request_signature import BucketKey
from scrapersky.sources.source import ListedPlace, Source

if TYPE_CHECKING:
    from scrapersky.fetch.client import Fetcher

__all__ = [
    "CSVSource",
    "ListedPlace",
    "Source",
    "SourceEntry",
    "SourceOptions",
    "list_sources",
    "make_sources",
    "remote_overture",
]


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """Where the data of the open sources is, and what a search in it may take."""

    overture_path: str = ""
    s3_endpoint: str = ""
    bucket_key: BucketKey | None = None
    max_download_mib: int = 2_048
    openstreetmap_path: str = ""
    limits: QueryLimits = field(default_factory=QueryLimits)


def make_sources(fetcher: Fetcher, options: SourceOptions) -> dict[str, Source]:
    """Every source by the name that a search gives; a new source is registered here."""
    return {
        "csv": CSVSource(),
        "overture": OvertureSource(options.overture_path, options.limits, remote_overture(fetcher, options)),
    }


def remote_overture(fetcher: Fetcher, options: SourceOptions) -> RemoteParquet | None:
    """Where Overture's files are read if they are not on our disk."""
    if not is_remote(options.overture_path):
        return None
    store = ObjectStore(fetcher, options.s3_endpoint, credentials=options.bucket_key)
    return RemoteParquet(
        store, options.overture_path, max_mib=options.max_download_mib, limits=options.limits
    )


def list_sources(options: SourceOptions) -> dict[str, SourceEntry]:
    """What interfaces know of every source, in the order in which a search without a source tries them."""
    entries = [
        overture_entry(options.overture_path),
        openstreetmap_entry(options.openstreetmap_path),
        SourceEntry("csv", "CSV file"),
    ]
    return {entry.name: entry for entry in entries}
