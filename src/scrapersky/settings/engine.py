"""Settings of the engine: leases, retries, batches, back-pressure, watching and keeping."""

from __future__ import annotations

from scrapersky.settings.setting import Days, Group, setting


class EngineSettings(Group):
    """The engine"""

    lease_seconds: int = setting(60, "How long a worker owns a row without a sign of life.", ge=2, le=3_600)
    heartbeat_seconds: int = setting(15, "How often a worker renews the leases of its rows.", ge=1, le=600)
    sweep_seconds: int = setting(10, "How often rows of dead workers are rescued.", ge=1, le=600)
    stop_grace_seconds: int = setting(30, "How long rows in work may take after a stop signal.", ge=0, le=600)
    max_retries: int = setting(3, "Tries after the first one.", ge=0, le=20)
    max_crashes: int = setting(
        3, "Crashes of a worker while it runs one row alone that make the row a dead letter.", ge=1, le=20
    )
    retry_base_seconds: int = setting(
        60, "Wait before the first retry; it doubles for each further one.", ge=1, le=86_400
    )
    retry_cap_minutes: int = setting(60, "Longest wait before a retry.", ge=1, le=1_440)
    retry_jitter_percent: int = setting(
        20, "Chance part added to a wait, so that retries do not march in step.", ge=0, le=20
    )
    poll_floor_milliseconds: int = setting(
        50, "Shortest pause between looks for work without notifications.", ge=10, le=10_000
    )
    poll_ceiling_milliseconds: int = setting(
        500, "Longest pause between looks for work without notifications.", ge=10, le=60_000
    )
    poll_listening_milliseconds: int = setting(
        2_000,
        "Longest pause between looks for work while notifications arrive; one that is lost costs no more.",
        ge=10,
        le=60_000,
    )
    finish_rows: int = setting(100, "Finished rows that are written together.", ge=1, le=1_000)
    finish_milliseconds: int = setting(
        100, "Longest time a finished row waits to be written.", ge=1, le=5_000
    )
    batch_floor_rows: int = setting(
        1, "Smallest batch when rows take long or the next stage falls behind.", ge=1, le=10_000
    )
    batch_target_seconds: int = setting(
        5, "Time a batch should take; batches of slow stages are smaller than their batch size.", ge=1, le=600
    )
    rows_per_host: int = setting(
        10, "Rows of one host taken at once; small numbers take turns.", ge=1, le=500
    )
    high_water_rows: int = setting(
        100_000, "Rows waiting downstream at which a stage pauses.", ge=1, le=100_000_000
    )
    low_water_rows: int = setting(
        50_000, "Rows waiting downstream at which it resumes.", ge=0, le=100_000_000
    )
    circuit_failures: int = setting(
        5, "Failures in a row that open the circuit to ScraperAPI.", ge=1, le=1_000
    )
    circuit_rest_seconds: int = setting(
        60, "How long an open circuit refuses before one trial.", ge=1, le=86_400
    )


class WatchSettings(Group):
    """Watching"""

    safety_net_interval_minutes: int = setting(
        5, "How often rows without a status are queued (R003).", ge=1, le=1_440
    )
    stuck_check_interval_minutes: int = setting(5, "How often stuck rows are looked for.", ge=1, le=1_440)
    job_stuck_pending_minutes: int = setting(5, "A job that waits longer is stuck (R024).", ge=1, le=10_080)
    job_stuck_running_minutes: int = setting(
        30, "A job that runs longer without an update is stuck (R025).", ge=1, le=10_080
    )
    stuck_processing_minutes: int = setting(
        30, "A row of any queue in work for longer is reported (R159).", ge=1, le=10_080
    )
    stall_minutes: int = setting(
        15, "A stage with work that finishes nothing for so long is unhealthy.", ge=1, le=1_440
    )
    slow_factor: int = setting(
        10,
        "Rows that take this many times longer than on the last day raise an alert (R205).",
        ge=2,
        le=1_000,
    )
    queue_growth_factor: int = setting(
        10, "A queue this many times longer than on the last day raises an alert (R205).", ge=2, le=1_000
    )


class RetentionSettings(Group):
    """Keeping"""

    cleanup_interval_minutes: int = setting(
        60, "How often what is past its time is deleted.", ge=1, le=10_080
    )
    cleanup_batch_rows: int = setting(5_000, "Rows deleted in one transaction.", ge=1, le=50_000)
    job_retention_days: Days = setting(30, "Finished and failed jobs (R018); a number of days or `keep`.")
    page_body_retention_days: Days = setting(30, "Stored page bodies; a number of days or `keep`.")
    dead_letter_retention_days: Days = setting(
        90, "Discarded dead letters and zombies; a number of days or `keep`."
    )
    statistics_retention_days: Days = setting(90, "Statistics per minute; a number of days or `keep`.")
    alert_retention_days: Days = setting(90, "Alerts that are over; a number of days or `keep`.")
