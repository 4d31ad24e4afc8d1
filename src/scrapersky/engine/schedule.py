"""The one schedule of a process: what is looked at how often, in UTC, and what is said about each run."""

from __future__ import annotations

import traceback
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from apscheduler.events import EVENT_JOB_ERROR, EVENT_JOB_EXECUTED, JobExecutionEvent
from apscheduler.schedulers.asyncio import AsyncIOScheduler

from scrapersky.engine.outcome import reason_of

Report = Callable[[list[dict[str, Any]]], None]
Call = Callable[[], Awaitable[object]]


class Schedule:
    """APScheduler with our rules: started once, jobs replaced by id, missed runs coalesced."""

    def __init__(self, report: Report) -> None:
        self.report = report
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
            self.shutdown()
            raise
        self._ending = False
        self._say("started")

    def shutdown(self) -> None:
        """Stop without waiting for what is running; the lanes end in their own order."""
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
            self.scheduler.add_job(
                call,
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
            return False
        return True

    def state(self) -> dict[str, dict[str, Any]]:
        """Each job with its next run and its last one, for /health."""
        running = self.scheduler.running
        return {
            job.id: {"running": running and job.next_run_time is not None, "next_run": job.next_run_time}
            | self.last.get(job.id, {})
            for job in self.scheduler.get_jobs()
        }

    def _note(self, event: JobExecutionEvent) -> None:
        line: dict[str, Any] = {"event": "scheduled", "job": event.job_id, "level": "info", "ok": True}
        if event.exception:
            trace = "".join(traceback.format_exception(event.exception))
            line |= {"level": "error", "ok": False, "error": reason_of(event.exception), "trace": trace}
        self.last[event.job_id] = {"last_run": datetime.now(UTC), "ok": line["ok"]}
        self.report([line])

    def _say(self, what: str, *, level: str = "info") -> None:
        self.report([{"event": "schedule", "level": level, "what": what}])
