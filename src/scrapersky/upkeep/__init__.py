"""What the fleet does for itself now and then: safety net, clean-up, looks for what is wrong, and alerts."""

from scrapersky.upkeep.alerts import end_alert, raise_alert
from scrapersky.upkeep.disk import DiskMinimum, watch_disk
from scrapersky.upkeep.keeper import Upkeep, queue_forgotten
from scrapersky.upkeep.rules import Rules

__all__ = ["DiskMinimum", "Rules", "Upkeep", "end_alert", "queue_forgotten", "raise_alert", "watch_disk"]
