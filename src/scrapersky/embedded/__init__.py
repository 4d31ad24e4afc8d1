"""The private PostgreSQL: started on first use, shared by every process of one copy, stopped by the last."""

from scrapersky.embedded.binaries import binaries
from scrapersky.embedded.data_folders import DataFolder, default_data_folder, other_data_folders
from scrapersky.embedded.server import PrivateServer
from scrapersky.embedded.watch import keep_running

__all__ = [
    "DataFolder",
    "PrivateServer",
    "binaries",
    "default_data_folder",
    "keep_running",
    "other_data_folders",
]
