"""Where contacts go: one file each, one small protocol."""

from scrapersky.destinations.csv_file import CSVFile
from scrapersky.destinations.destination import DeliveryPayload, Destination
from scrapersky.destinations.files import file_destinations
from scrapersky.destinations.jsonl_file import JSONLFile

__all__ = ["CSVFile", "DeliveryPayload", "Destination", "JSONLFile", "file_destinations"]
