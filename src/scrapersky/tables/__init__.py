"""The tables, one file each, and the words in them."""

from scrapersky.tables.alert import Alert
from scrapersky.tables.api_key import ApiKey
from scrapersky.tables.audit import AuditEntry
from scrapersky.tables.business import Business
from scrapersky.tables.contact import Contact
from scrapersky.tables.credit import Credit
from scrapersky.tables.delivery import Delivery
from scrapersky.tables.destination import Destination
from scrapersky.tables.domain import Domain
from scrapersky.tables.failure import FailureRecord
from scrapersky.tables.host import Host
from scrapersky.tables.ids import new_id
from scrapersky.tables.job import Job
from scrapersky.tables.operation import Operation
from scrapersky.tables.operation_change import OperationChange
from scrapersky.tables.page import Page
from scrapersky.tables.page_body import PageBody
from scrapersky.tables.page_sitemap import PageSitemap
from scrapersky.tables.place import Place
from scrapersky.tables.place_search import PlaceSearch
from scrapersky.tables.row import Row, table_of
from scrapersky.tables.row_count import RowCount
from scrapersky.tables.saved_view import SavedView
from scrapersky.tables.schedule import Schedule
from scrapersky.tables.sighting import Sighting
from scrapersky.tables.sitemap import Sitemap
from scrapersky.tables.stage_control import StageControl
from scrapersky.tables.stage_stat import StageStat
from scrapersky.tables.suppression import Suppression
from scrapersky.tables.tenant import Tenant
from scrapersky.tables.user import User
from scrapersky.tables.worker import WorkerProcess
from scrapersky.tables.zombie import Zombie

metadata = Row.metadata

__all__ = [
    "Alert",
    "ApiKey",
    "AuditEntry",
    "Business",
    "Contact",
    "Credit",
    "Delivery",
    "Destination",
    "Domain",
    "FailureRecord",
    "Host",
    "Job",
    "Operation",
    "OperationChange",
    "Page",
    "PageBody",
    "PageSitemap",
    "Place",
    "PlaceSearch",
    "Row",
    "RowCount",
    "SavedView",
    "Schedule",
    "Sighting",
    "Sitemap",
    "StageControl",
    "StageStat",
    "Suppression",
    "Tenant",
    "User",
    "WorkerProcess",
    "Zombie",
    "metadata",
    "new_id",
    "table_of",
]
