"""What people change: curation, submissions, jobs, dead letters, stages."""

from scrapersky.actions.dead_letters import (
    discard_dead_letters,
    investigate_dead_letter,
    requeue_dead_letters,
)
from scrapersky.actions.jobs import cancel_job, retry_job, submit_job
from scrapersky.actions.stages import pause_stage, resume_stage, run_stage

__all__ = [
    "cancel_job",
    "discard_dead_letters",
    "investigate_dead_letter",
    "pause_stage",
    "requeue_dead_letters",
    "resume_stage",
    "retry_job",
    "run_stage",
    "submit_job",
]
