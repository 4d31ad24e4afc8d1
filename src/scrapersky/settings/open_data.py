"""Settings of the open sources of places."""

from __future__ import annotations

from scrapersky.settings.field import Group, ShortText, setting


class OpenDataSettings(Group):
    """Open place data"""

    overture_path: ShortText = setting(
        "", "Overture Places: a Parquet file, or a folder of them; empty leaves the source out."
    )
    openstreetmap_path: ShortText = setting(
        "", "OpenStreetMap: a JSON or PBF file, or a folder of them; empty leaves the source out."
    )
    open_data_memory_mib: int = setting(
        512, "Maximum memory of one search in Parquet files, beside that of the process.", ge=64, le=65_536
    )
    open_data_threads: int = setting(2, "Threads of one search in Parquet files.", ge=1, le=64)
