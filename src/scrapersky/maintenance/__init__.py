"""The periodic tasks of the fleet: safety net, cleanup, exclusions, alerts, disk space."""

from scrapersky.maintenance.alerts import raise_alert, resolve_alert
from scrapersky.maintenance.disk import DiskMinimum, watch_disk
from scrapersky.maintenance.options import MaintenanceOptions
from scrapersky.maintenance.safety_net import queue_missed_sitemaps
from scrapersky.maintenance.tasks import Maintenance

__all__ = [
    "DiskMinimum",
    "Maintenance",
    "MaintenanceOptions",
    "queue_missed_sitemaps",
    "raise_alert",
    "resolve_alert",
    "watch_disk",
]
