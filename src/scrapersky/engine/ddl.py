"""The database side of a queue: its columns, indexes, checks and triggers."""

from __future__ import annotations

from typing import Any

from sqlalchemy import CheckConstraint, Column, DateTime, Index, Integer, SmallInteger, Text, text

from scrapersky.declarations.queue import Queue

# The request whose transaction queues the row; NULL for workers, commands and plain SQL.
CORRELATION_ID = "NULLIF(current_setting('scrapersky.correlation_id'::text, true), ''::text)"


def queue_columns(queue: Queue, *, default: str | None = None) -> list[Column[Any]]:
    """The columns of one stage's work, status and error included; `default` is a new row's status."""
    status_default = None if default is None else text(f"'{default}'")
    moment = DateTime(timezone=True)
    return [
        Column(queue.status, Text, server_default=status_default),
        Column(queue.error, Text),
        Column(queue.column("due_at"), moment, nullable=False, server_default=text("now()")),
        Column(queue.column("retries"), Integer, nullable=False, server_default=text("0")),
        Column(queue.column("rescues"), SmallInteger, nullable=False, server_default=text("0")),
        Column(queue.column("crashes"), SmallInteger, nullable=False, server_default=text("0")),
        Column(queue.column("lease_seq"), Integer, nullable=False, server_default=text("0")),
        Column(queue.column("lease_until"), moment),
        Column(queue.column("worker"), Integer),
        Column(queue.column("finished_at"), moment),
        Column(queue.column("correlation_id"), Text, server_default=text(CORRELATION_ID)),
    ]


def queue_indexes(queue: Queue) -> list[Index]:
    """Small partial indexes over the open rows only, in the order in which they are claimed."""
    lease = queue.column("lease_until")
    indexes = [
        ("queue", ["tenant_id", *queue.order], queue.claimable()),
        ("lease", [lease], f"{lease} IS NOT NULL"),
    ]
    if queue.host:
        indexes.append(("host", [queue.host, *queue.order], queue.claimable()))
    return [
        Index(f"ix_{queue.name}_{kind}", *names, postgresql_where=text(where))
        for kind, names, where in indexes
    ]


def queue_checks(queue: Queue) -> list[CheckConstraint]:
    """The rules about one row that the database itself keeps."""
    statuses = ", ".join(f"'{word}'" for word in queue.statuses.all)
    leased = f"({queue.column('lease_until')} IS NOT NULL)"
    return [
        CheckConstraint(f"{queue.status} IN ({statuses})", name=f"{queue.name}_status"),
        CheckConstraint(
            f"(coalesce({queue.status}, '') = '{queue.statuses.processing}') = {leased}",
            name=f"{queue.name}_lease",
        ),
        CheckConstraint(
            f"coalesce({queue.status}, '') <> '{queue.statuses.failed}' OR {queue.error} IS NOT NULL",
            name=f"{queue.name}_reason",
        ),
    ]


def _allowed_changes(queue: Queue) -> str:
    """The status changes that may happen, as SQL over OLD and NEW; everything else is refused."""
    statuses = queue.statuses
    resting = ", ".join(f"'{word}'" for word in (statuses.done, statuses.failed, *statuses.other))
    at_rest = f"(OLD.{queue.status} IS NULL OR OLD.{queue.status} IN ({resting}))"
    to_rest = "".join(f", '{word}'" for word in statuses.other)
    return (
        f"(NEW.{queue.status} = '{statuses.queued}')"
        f" OR (OLD.{queue.status} = '{statuses.queued}' AND (NEW.{queue.status} IS NULL"
        f" OR NEW.{queue.status} IN ('{statuses.processing}'{to_rest})))"
        f" OR (OLD.{queue.status} = '{statuses.processing}' AND"
        f" NEW.{queue.status} IN ('{statuses.done}', '{statuses.failed}'{to_rest}))"
        f" OR ({at_rest} AND (NEW.{queue.status} IS NULL{_either(queue, to_rest)}))"
    )


def _either(queue: Queue, to_rest: str) -> str:
    return f" OR NEW.{queue.status} IN ({to_rest[2:]})" if to_rest else ""


def queue_triggers(queue: Queue) -> list[str]:
    """The rules about a change of status: which may happen, what queueing resets, and who is woken.

    Because they live in the database, `UPDATE … SET status = 'Queued'` in psql queues a row properly. An undo
    says so in its transaction: it puts a row back as it was, whatever its status was.
    """
    name, status, statuses = queue.name, queue.status, queue.statuses
    lease, worker, due = queue.column("lease_until"), queue.column("worker"), queue.column("due_at")
    changed = f"OLD.{status} IS DISTINCT FROM NEW.{status}"
    newly = f"NOT coalesce({queue.claimable('OLD')}, false) AND {queue.claimable('NEW')}"
    return [
        f"""CREATE FUNCTION {name}_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF current_setting('scrapersky.undo', true) = 'on' AND '{statuses.processing}' NOT IN
    (coalesce(OLD.{status}, ''), coalesce(NEW.{status}, '')) THEN RETURN NEW; END IF;
  RAISE EXCEPTION '{queue.table}.{status} cannot change from % to %', OLD.{status}, NEW.{status}
    USING ERRCODE = 'check_violation';
END $$""",
        f"""CREATE TRIGGER {name}_1_refuse BEFORE UPDATE ON {queue.table} FOR EACH ROW
  WHEN ({changed} AND NOT coalesce({_allowed_changes(queue)}, false)) EXECUTE FUNCTION {name}_refuse()""",
        f"""CREATE FUNCTION {name}_requeue() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF current_setting('scrapersky.undo', true) = 'on' THEN RETURN NEW; END IF;
  IF OLD.{status} IS DISTINCT FROM '{statuses.processing}' THEN
    NEW.{queue.column("retries")} := 0; NEW.{queue.error} := NULL;
    NEW.{queue.column("rescues")} := 0; NEW.{queue.column("crashes")} := 0;
    NEW.{queue.column("correlation_id")} := {CORRELATION_ID};
    IF NEW.{due} = OLD.{due} THEN NEW.{due} := now(); END IF;
  END IF;
  NEW.{lease} := NULL; NEW.{worker} := NULL; RETURN NEW;
END $$""",
        f"""CREATE TRIGGER {name}_2_requeue BEFORE UPDATE ON {queue.table} FOR EACH ROW
  WHEN (NEW.{status} = '{statuses.queued}' AND {changed}) EXECUTE FUNCTION {name}_requeue()""",
        f"""CREATE FUNCTION {name}_wake() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE is_held boolean; BEGIN
{_wake_body(queue)}
  RETURN NULL;
END $$""",
        f"""CREATE TRIGGER {name}_wake_new AFTER INSERT ON {queue.table} FOR EACH ROW
  WHEN ({queue.claimable("NEW")}) EXECUTE FUNCTION {name}_wake()""",
        f"""CREATE TRIGGER {name}_wake_again AFTER UPDATE ON {queue.table} FOR EACH ROW
  WHEN ({newly}) EXECUTE FUNCTION {name}_wake()""",
    ]


def _wake_body(queue: Queue) -> str:
    """Notify the workers, and mark the host as awaited; once per host and transaction, not once per row.

    The host row is locked even when it knows of work already: a worker that releases the host at this moment
    must not decide before this transaction has ended, or the wake-up is lost. While somebody holds the host
    nobody could claim the row, so nobody is notified; whoever releases the host looks at its queues.
    """
    key = f"'{queue.name}'" + (f" || NEW.{queue.host}" if queue.host else "")
    due = f"NEW.{queue.column('due_at')}"
    notify = f"    PERFORM pg_notify('scrapersky', '{queue.name}');\n"
    if queue.host:
        notify = (
            f"    INSERT INTO hosts (host, {queue.waiting_since}) VALUES (NEW.{queue.host}, {due})\n"
            f"      ON CONFLICT (host) DO UPDATE SET {queue.waiting_since} ="
            f" least(hosts.{queue.waiting_since}, excluded.{queue.waiting_since})\n"
            "      RETURNING worker IS NOT NULL AND next_allowed_at > now() INTO is_held;\n"
            f"    IF NOT is_held THEN PERFORM pg_notify('scrapersky', '{queue.name}'); END IF;\n"
        )
    # Rows that a decision queues with a grace are all due at the same moment.
    later = f"{key} || ' ' || {due}"
    woken = "current_setting('scrapersky.woken', true)"
    noted = f"CASE WHEN {due} <= now() THEN {key} ELSE {later} END"
    # In this order the text of the moment is made only for rows that are not due yet.
    return f"""  IF {woken} IS DISTINCT FROM {key} AND {woken} IS DISTINCT FROM {later} THEN
{notify}    PERFORM set_config('scrapersky.woken', {noted}, true);
  END IF;"""
