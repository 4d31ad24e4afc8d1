"""What the fleet does for itself now and then: safety net, clean-up, looks for what is wrong, and alerts."""

from scrapersky.maintenance.alerts import end_alert, raise_alert
from scrapersky.maintenance.disk import DiskMinimum, watch_disk
from scrapersky.maintenance.keeper import Maintenance, queue_forgotten
from scrapersky.maintenance.rules import Rules

__all__ = ["DiskMinimum", "Maintenance", "Rules", "end_alert", "queue_forgotten", "raise_alert", "watch_disk"]
