"""What makes a table workable: its status column, the words in it, and the columns and rules beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import CheckConstraint, Column, DateTime, Index, Integer, SmallInteger, Text, text


@dataclass(frozen=True, slots=True)
class Words:
    """One table's words for the engine's states; `extra` are words that only people and rules write."""

    queued: str
    processing: str
    done: str
    failed: str
    extra: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        return (self.queued, self.processing, self.done, self.failed, *self.extra)


@dataclass(frozen=True, slots=True)
class Work:
    """The names of the columns that carry one stage's work on one table.

    `prefix` tells two stages on one table apart. `barred` is the curation column whose `barring` words keep
    a row from being worked, `only` a further SQL condition. A polite stage names the column with the
    politeness key (`host`) and the column of the hosts table that says since when its work awaits there
    (`awaits`).
    """

    name: str
    table: str
    status: str
    error: str
    words: Words
    prefix: str = ""
    due_at: str = ""
    retries: str = ""
    max_retries: str | None = None
    priority: str | None = None
    host: str | None = None
    awaits: str | None = None
    barred: str | None = None
    barring: tuple[str, ...] = ()
    only: str = ""

    def column(self, role: str) -> str:
        given = {"due_at": self.due_at, "retries": self.retries}.get(role)
        return given or f"{self.prefix}{role}"

    def claimable(self, row: str = "") -> str:
        """The condition under which a row may be worked, as SQL over the alias `row`."""
        dot = f"{row}." if row else ""
        parts = [f"{dot}{self.status} = '{self.words.queued}'"]
        if self.barred:
            barring = ", ".join(f"'{word}'" for word in self.barring)
            parts.append(f"{dot}{self.barred} NOT IN ({barring})")
        if self.only:
            parts.append(f"{dot}{self.only}")
        return " AND ".join(parts)


def work_columns(work: Work, *, default: str | None = None) -> list[Column[Any]]:
    """The columns of one stage's work, status and error included; `default` is a new row's status."""
    status_default = None if default is None else text(f"'{default}'")
    moment = DateTime(timezone=True)
    return [
        Column(work.status, Text, server_default=status_default),
        Column(work.error, Text),
        Column(work.column("due_at"), moment, nullable=False, server_default=text("now()")),
        Column(work.column("retries"), Integer, nullable=False, server_default=text("0")),
        Column(work.column("rescues"), SmallInteger, nullable=False, server_default=text("0")),
        Column(work.column("crashes"), SmallInteger, nullable=False, server_default=text("0")),
        Column(work.column("lease_seq"), Integer, nullable=False, server_default=text("0")),
        Column(work.column("lease_until"), moment),
        Column(work.column("worker"), Integer),
        Column(work.column("finished_at"), moment),
    ]


def work_indexes(work: Work, columns: dict[str, Column[Any]]) -> list[Index]:
    """Small partial indexes over the open rows only, in the order in which they are claimed."""
    lease = work.column("lease_until")
    order = [work.priority] if work.priority else []
    order.append(work.column("due_at"))
    wanted = [
        ("queue", ["tenant_id", *order], work.claimable()),
        ("lease", [lease], f"{lease} IS NOT NULL"),
    ]
    if work.host:
        wanted.append(("host", [work.host, *order], work.claimable()))
    return [
        Index(f"ix_{work.name}_{kind}", *(columns[name] for name in names), postgresql_where=text(where))
        for kind, names, where in wanted
    ]


def work_checks(work: Work) -> list[CheckConstraint]:
    """The rules about one row that the database itself keeps."""
    words = ", ".join(f"'{word}'" for word in work.words.all)
    leased = f"({work.column('lease_until')} IS NOT NULL)"
    return [
        CheckConstraint(f"{work.status} IN ({words})", name=f"{work.name}_word"),
        CheckConstraint(
            f"(coalesce({work.status}, '') = '{work.words.processing}') = {leased}", name=f"{work.name}_lease"
        ),
        CheckConstraint(
            f"coalesce({work.status}, '') <> '{work.words.failed}' OR {work.error} IS NOT NULL",
            name=f"{work.name}_reason",
        ),
    ]


def _allowed_changes(work: Work) -> str:
    """The status changes that may happen, as SQL over OLD and NEW; everything else is refused."""
    words = work.words
    resting = ", ".join(f"'{word}'" for word in (words.done, words.failed, *words.extra))
    at_rest = f"(OLD.{work.status} IS NULL OR OLD.{work.status} IN ({resting}))"
    to_rest = "".join(f", '{word}'" for word in words.extra)
    return (
        f"(NEW.{work.status} = '{words.queued}')"
        f" OR (OLD.{work.status} = '{words.queued}' AND (NEW.{work.status} IS NULL"
        f" OR NEW.{work.status} IN ('{words.processing}'{to_rest})))"
        f" OR (OLD.{work.status} = '{words.processing}' AND"
        f" NEW.{work.status} IN ('{words.done}', '{words.failed}'{to_rest}))"
        f" OR ({at_rest} AND (NEW.{work.status} IS NULL{_either(work, to_rest)}))"
    )


def _either(work: Work, to_rest: str) -> str:
    return f" OR NEW.{work.status} IN ({to_rest[2:]})" if to_rest else ""


def work_triggers(work: Work) -> list[str]:
    """The rules about a change of status: which may happen, what queueing resets, and who is woken.

    Because they live in the database, `UPDATE … SET status = 'Queued'` in psql queues a row properly.
    """
    name, status, words = work.name, work.status, work.words
    lease, worker, due = work.column("lease_until"), work.column("worker"), work.column("due_at")
    changed = f"OLD.{status} IS DISTINCT FROM NEW.{status}"
    newly = f"NOT coalesce({work.claimable('OLD')}, false) AND {work.claimable('NEW')}"
    return [
        f"""CREATE FUNCTION {name}_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION '{work.table}.{status} cannot change from % to %', OLD.{status}, NEW.{status}
    USING ERRCODE = 'check_violation';
END $$""",
        f"""CREATE TRIGGER {name}_1_refuse BEFORE UPDATE ON {work.table} FOR EACH ROW
  WHEN ({changed} AND NOT coalesce({_allowed_changes(work)}, false)) EXECUTE FUNCTION {name}_refuse()""",
        f"""CREATE FUNCTION {name}_requeue() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF OLD.{status} IS DISTINCT FROM '{words.processing}' THEN
    NEW.{work.column("retries")} := 0; NEW.{work.error} := NULL;
    NEW.{work.column("rescues")} := 0; NEW.{work.column("crashes")} := 0;
    IF NEW.{due} = OLD.{due} THEN NEW.{due} := now(); END IF;
  END IF;
  NEW.{lease} := NULL; NEW.{worker} := NULL; RETURN NEW;
END $$""",
        f"""CREATE TRIGGER {name}_2_requeue BEFORE UPDATE ON {work.table} FOR EACH ROW
  WHEN (NEW.{status} = '{words.queued}' AND {changed}) EXECUTE FUNCTION {name}_requeue()""",
        f"""CREATE FUNCTION {name}_wake() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
{_wake_body(work)}
  RETURN NULL;
END $$""",
        f"""CREATE TRIGGER {name}_wake_new AFTER INSERT ON {work.table} FOR EACH ROW
  WHEN ({work.claimable("NEW")}) EXECUTE FUNCTION {name}_wake()""",
        f"""CREATE TRIGGER {name}_wake_again AFTER UPDATE ON {work.table} FOR EACH ROW
  WHEN ({newly}) EXECUTE FUNCTION {name}_wake()""",
    ]


def _wake_body(work: Work) -> str:
    """Tell the workers, and the host that work awaits it; once per host and transaction, not once per row.

    The host row is locked even when it knows of work already: a worker that releases the host at this moment
    must not decide before this transaction has ended, or the wake-up is lost.
    """
    key = f"'{work.name}'" + (f" || NEW.{work.host}" if work.host else "")
    host = (
        f"    INSERT INTO hosts (host, {work.awaits}) VALUES (NEW.{work.host}, NEW.{work.column('due_at')})\n"
        f"      ON CONFLICT (host) DO UPDATE SET {work.awaits} ="
        f" least(hosts.{work.awaits}, excluded.{work.awaits});\n"
        if work.host
        else ""
    )
    return f"""  IF current_setting('scrapersky.woken', true) IS DISTINCT FROM {key} THEN
{host}    PERFORM pg_notify('scrapersky', '{work.name}');
    IF NEW.{work.column("due_at")} <= now() THEN
      PERFORM set_config('scrapersky.woken', {key}, true);
    END IF;
  END IF;"""


def drop_work_triggers(work: Work) -> list[str]:
    """The statements that take `work_triggers` away again."""
    return [f"DROP FUNCTION {work.name}_{part}() CASCADE" for part in ("refuse", "requeue", "wake")]
