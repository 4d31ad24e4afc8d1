"""Settings of the open sources of places."""

from __future__ import annotations

from scrapersky.settings.field import Group, Secret, ShortText, setting


class OpenDataSettings(Group):
    """Open place data"""

    overture_path: ShortText = setting(
        "",
        "Overture Places: a Parquet file or a folder of them, an s3:// file or folder,"
        " or the https:// address of one file; empty leaves the source out.",
    )
    s3_endpoint: ShortText = setting(
        "", "Server of s3:// addresses, such as https://s3.example.com; empty means Amazon S3."
    )
    s3_access_key: ShortText = setting(
        "", "Access key of private buckets; empty means that requests to object storage are not signed."
    )
    s3_secret_key: Secret = setting(None, "Secret key that belongs to S3_ACCESS_KEY.")
    s3_region: ShortText = setting("us-east-1", "Region of private buckets.")
    open_data_download_mib: int = setting(
        2_048, "Maximum that one search reads from object storage.", ge=1, le=1_048_576
    )
    openstreetmap_path: ShortText = setting(
        "", "OpenStreetMap: a JSON or PBF file, or a folder of them; empty leaves the source out."
    )
    open_data_memory_mib: int = setting(
        512, "Maximum memory of one search in Parquet files, beside that of the process.", ge=64, le=65_536
    )
    open_data_threads: int = setting(2, "Threads of one search in Parquet files.", ge=1, le=64)
