"""The private PostgreSQL: started on first use, shared by all processes, stopped by the last one."""

from scrapersky.embedded.binaries import find_binaries
from scrapersky.embedded.data_folder import DataFolder, default_data_folder, other_data_folders
from scrapersky.embedded.server import PrivateServer
from scrapersky.embedded.watchdog import keep_running

__all__ = [
    "DataFolder",
    "PrivateServer",
    "default_data_folder",
    "find_binaries",
    "keep_running",
    "other_data_folders",
]
