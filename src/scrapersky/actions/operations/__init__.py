"""Operations: decisions over any number of rows, in chunks, with a journal from which they can be undone."""

from scrapersky.actions.operations.changes import CURATE, DELIVER_CONTACTS, RESET, RUN, UNDO
from scrapersky.actions.operations.creation import Decision, check_expected, count_rows, create_operation
from scrapersky.actions.operations.leases import OperationLost, claim_operation
from scrapersky.actions.operations.operation import Operation
from scrapersky.actions.operations.runner import run_operation
from scrapersky.actions.operations.undo import cancel_operation, start_undo

__all__ = [
    "CURATE",
    "DELIVER_CONTACTS",
    "RESET",
    "RUN",
    "UNDO",
    "Decision",
    "Operation",
    "OperationLost",
    "cancel_operation",
    "check_expected",
    "claim_operation",
    "count_rows",
    "create_operation",
    "run_operation",
    "start_undo",
]
