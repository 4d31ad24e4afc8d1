"""What people change: stages paused, jobs submitted, retried or cancelled, dead letters requeued."""

from scrapersky.actions.dead_letters import discard, requeue
from scrapersky.actions.jobs import cancel_job, retry_job, submit_job
from scrapersky.actions.stages import pause, resume

__all__ = ["cancel_job", "discard", "pause", "requeue", "resume", "retry_job", "submit_job"]
