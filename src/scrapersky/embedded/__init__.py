"""The private PostgreSQL: started on first use, shared by every process of one copy, stopped by the last."""

from scrapersky.embedded.folders import default_data_folder
from scrapersky.embedded.programs import binaries
from scrapersky.embedded.server import PrivateServer
from scrapersky.embedded.watch import keep_running

__all__ = ["PrivateServer", "binaries", "default_data_folder", "keep_running"]
