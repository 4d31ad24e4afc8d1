"""The schedule of a process, in UTC, and the jobs of which one machine of the fleet runs each."""

from __future__ import annotations

import asyncio
import contextlib
import traceback
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from apscheduler.events import EVENT_JOB_ERROR, EVENT_JOB_EXECUTED, JobExecutionEvent
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky.engine.database import Statement
from scrapersky.engine.outcome import reason_of
from scrapersky.log import Report

Call = Callable[[], Awaitable[object]]
# Called with the id of a job and its error, or None if it succeeded.
Notify = Callable[[str, BaseException | None], Awaitable[None]]


async def ignore_result(job_id: str, error: BaseException | None) -> None:
    """The default for those who want no alerts."""


class Schedule:
    """APScheduler with our rules: started once, jobs replaced by id, missed runs coalesced."""

    def __init__(self, report: Report, notify: Notify = ignore_result) -> None:
        self.report, self.notify = report, notify
        self._notifying: set[asyncio.Task[None]] = set()
        self.scheduler = AsyncIOScheduler(timezone=UTC)
        self.scheduler.add_listener(self._note, EVENT_JOB_EXECUTED | EVENT_JOB_ERROR)
        self.last: dict[str, dict[str, Any]] = {}
        self._ending = False

    def start(self) -> None:
        """Start; a second call only warns, and a start that fails half-way is undone."""
        if self.scheduler.running:
            self._say("already running", level="warning")
            return
        try:
            self.scheduler.start()
        except Exception as error:
            self._say(f"did not start: {reason_of(error)}", level="error")
            self._notify_outcome_soon("schedule", error)
            self.shutdown()
            raise
        self._ending = False
        self._say("started")

    def shutdown(self) -> None:
        """Stop without waiting for what is running; the runners stop in their own order."""
        # APScheduler ends at the loop's next turn; a second call before that would fail there.
        if self.scheduler.running and not self._ending:
            self._ending = True
            self.scheduler.shutdown(wait=False)
            self._say("stopped")

    def add(
        self,
        job_id: str,
        call: Call,
        every: timedelta,
        *,
        max_instances: int = 1,
        misfire_grace: timedelta = timedelta(minutes=1),
    ) -> bool:
        """Register a job under its stable id; a registration that fails is logged and harms no other."""
        try:
            if not callable(call):
                raise TypeError(f"{call!r} cannot be called")
            self.scheduler.add_job(
                self._watched(job_id, call),
                "interval",
                seconds=every.total_seconds(),
                id=job_id,
                replace_existing=True,
                coalesce=True,
                max_instances=max_instances,
                misfire_grace_time=max(1, int(misfire_grace.total_seconds())),
            )
        except Exception as error:  # noqa: BLE001 - one bad job must not keep the others from running.
            self._say(f"could not register {job_id}: {reason_of(error)}", level="error")
            self._notify_outcome_soon(job_id, error)
            return False
        return True

    def _watched(self, job_id: str, call: Call) -> Call:
        """The call, with its outcome reported; None means that it had nothing to do."""

        async def run() -> object:
            try:
                result = await call()
            except Exception as error:
                await self._notify_outcome(job_id, error)
                raise
            if result is not None:
                await self._notify_outcome(job_id, None)
            return result

        return run

    async def _notify_outcome(self, job_id: str, error: BaseException | None) -> None:
        try:
            await self.notify(job_id, error)
        except Exception as failure:  # noqa: BLE001 - an alert that cannot be raised must not stop the job.
            reason = reason_of(failure)
            self.report([{"event": "alert_failed", "level": "error", "job": job_id, "error": reason}])

    def _notify_outcome_soon(self, job_id: str, error: BaseException) -> None:
        """From where nothing can be awaited."""
        with contextlib.suppress(RuntimeError):
            task = asyncio.get_running_loop().create_task(self._notify_outcome(job_id, error))
            self._notifying.add(task)
            task.add_done_callback(self._notifying.discard)

    def state(self) -> dict[str, dict[str, Any]]:
        """Each job with its next run and its last one."""
        running = self.scheduler.running
        return {
            job.id: {"running": running and job.next_run_time is not None, "next_run": job.next_run_time}
            | self.last.get(job.id, {})
            for job in self.scheduler.get_jobs()
        }

    def running_jobs(self) -> list[str]:
        """The jobs that will run again; a heartbeat tells them to /health."""
        return [job_id for job_id, state in self.state().items() if state["running"]]

    def _note(self, event: JobExecutionEvent) -> None:
        line: dict[str, Any] = {
            "event": "scheduled_job_finished",
            "job": event.job_id,
            "level": "info",
            "ok": True,
        }
        if event.exception:
            trace = "".join(traceback.format_exception(event.exception))
            line |= {"level": "error", "ok": False, "error": reason_of(event.exception), "trace": trace}
        self.last[event.job_id] = {"last_run": datetime.now(UTC), "ok": line["ok"]}
        self.report([line])

    def _say(self, what: str, *, level: str = "info") -> None:
        self.report([{"event": "scheduler", "level": level, "what": what}])


# ---- jobs that run once in the whole fleet

Task = Callable[[AsyncConnection], Awaitable[int]]

TRY_LOCK = Statement("SELECT pg_try_advisory_xact_lock(hashtextextended(:job::text, 0)) AS is_free")

# Take the current slot of a job, unless another machine has it. A slot is the second in which it began, by
# the database's clock, so that slots of different intervals can be compared.
TAKE_SLOT = Statement("""
INSERT INTO scheduler_slots AS s (name, slot, last_run_at)
SELECT :job, now - now % :seconds, now() FROM (
  SELECT floor(extract(epoch FROM now()))::bigint AS now) AS clock
ON CONFLICT (name) DO UPDATE SET slot = excluded.slot, last_run_at = now(), runs = s.runs + 1
WHERE s.slot < excluded.slot
RETURNING name""")


class Leader:
    """Lets one machine of the fleet run a job; its slot and its effect are committed together."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine

    async def run(self, job: str, every: timedelta, task: Task) -> int | None:
        """Run `task` in the slot's transaction; None if another machine has the slot or runs the job."""
        seconds = max(1, int(every.total_seconds()))
        async with self.engine.begin() as connection:
            [lock] = await TRY_LOCK.run(connection, {"job": job})
            if not lock.is_free:
                return None
            slot = await TAKE_SLOT.run(connection, {"job": job, "seconds": seconds})
            return await task(connection) if slot else None
