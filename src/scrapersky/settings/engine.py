"""Settings of the engine: leases, retries, batches, back-pressure, monitoring and retention."""

from __future__ import annotations

from scrapersky.settings.field import Days, Group, setting


class EngineSettings(Group):
    """Engine"""

    lease_seconds: int = setting(60, "Lease of a claimed row; it is renewed by heartbeats.", ge=2, le=3_600)
    heartbeat_seconds: int = setting(15, "Interval between lease renewals.", ge=1, le=600)
    sweep_seconds: int = setting(10, "Interval between rescues of rows whose lease expired.", ge=1, le=600)
    shutdown_grace_seconds: int = setting(30, "Time that running rows get after a stop signal.", ge=0, le=600)
    max_retries: int = setting(3, "Retries of a failed row.", ge=0, le=20)
    max_crashes: int = setting(
        3, "Worker crashes while a row runs alone that make it a dead letter.", ge=1, le=20
    )
    retry_base_seconds: int = setting(
        60, "Delay before the first retry; it doubles with each further one.", ge=1, le=86_400
    )
    retry_max_minutes: int = setting(60, "Maximum retry delay.", ge=1, le=1_440)
    retry_jitter_percent: int = setting(20, "Random jitter added to retry delays (percent).", ge=0, le=20)
    poll_min_milliseconds: int = setting(
        50, "Minimum polling interval when notifications are not available.", ge=10, le=10_000
    )
    poll_max_milliseconds: int = setting(
        500, "Maximum polling interval when notifications are not available.", ge=10, le=60_000
    )
    poll_listening_milliseconds: int = setting(
        2_000,
        "Maximum polling interval while notifications arrive; covers a lost notification.",
        ge=10,
        le=60_000,
    )
    write_batch_rows: int = setting(100, "Finished rows written in one transaction.", ge=1, le=1_000)
    write_delay_milliseconds: int = setting(
        100, "Maximum time a finished row waits to be written.", ge=1, le=5_000
    )
    min_batch_rows: int = setting(
        1, "Minimum batch size when rows are slow or the next stage falls behind.", ge=1, le=10_000
    )
    batch_target_seconds: int = setting(
        5, "Target duration of a batch; slow stages get smaller batches.", ge=1, le=600
    )
    rows_per_host: int = setting(
        10,
        "Maximum rows claimed for one host at a time; small values alternate between hosts.",
        editable=True,
        ge=1,
        le=500,
    )
    visits: bool = setting(
        True, "A worker that holds a host continues there with the next stages, site after site."
    )
    visit_seconds: int = setting(
        120, "Longest visit of a host; what is left then waits for its next turn.", ge=1, le=3_600
    )
    high_water_rows: int = setting(
        100_000,
        "Queue length of the next stage at which a stage pauses.",
        editable=True,
        ge=1,
        le=100_000_000,
    )
    low_water_rows: int = setting(
        50_000,
        "Queue length of the next stage at which a stage resumes.",
        editable=True,
        ge=0,
        le=100_000_000,
    )
    circuit_failures: int = setting(
        5, "Consecutive failures that open the circuit breaker of ScraperAPI.", ge=1, le=1_000
    )
    circuit_open_seconds: int = setting(
        60, "Time before an open circuit breaker allows a trial request.", ge=1, le=86_400
    )


class MonitoringSettings(Group):
    """Monitoring"""

    safety_net_interval_minutes: int = setting(
        5, "Interval at which rows without a status are queued (R003).", ge=1, le=1_440
    )
    stuck_check_interval_minutes: int = setting(5, "Interval between checks for stuck rows.", ge=1, le=1_440)
    job_stuck_pending_minutes: int = setting(
        5, "A job that is pending for longer is stuck (R024).", ge=1, le=10_080
    )
    job_stuck_running_minutes: int = setting(
        30, "A job that runs for longer without an update is stuck (R025).", ge=1, le=10_080
    )
    stuck_processing_minutes: int = setting(
        30, "A row that is processed for longer is reported as stuck (R159).", ge=1, le=10_080
    )
    stall_minutes: int = setting(
        15, "A stage with queued rows that finishes none for this long is unhealthy.", ge=1, le=1_440
    )
    slow_stage_factor: int = setting(
        10,
        "Alert when rows take this many times longer than in the last day (R205).",
        ge=2,
        le=1_000,
    )
    queue_growth_factor: int = setting(
        10, "Alert when a queue is this many times longer than in the last day (R205).", ge=2, le=1_000
    )


class RetentionSettings(Group):
    """Retention"""

    cleanup_interval_minutes: int = setting(60, "Interval between cleanups.", ge=1, le=10_080)
    cleanup_batch_rows: int = setting(5_000, "Rows deleted in one transaction.", ge=1, le=50_000)
    job_retention_days: Days = setting(30, "Finished and failed jobs (R018); a number of days or `keep`.")
    page_body_retention_days: Days = setting(30, "Stored page bodies; a number of days or `keep`.")
    dead_letter_retention_days: Days = setting(
        90, "Discarded dead letters and zombies; a number of days or `keep`."
    )
    statistics_retention_days: Days = setting(90, "Statistics per minute; a number of days or `keep`.")
    alert_retention_days: Days = setting(90, "Resolved alerts; a number of days or `keep`.")
    audit_retention_days: Days = setting(
        "keep", "Entries of the audit log, the oldest first; a number of days or `keep`."
    )
    audit_value_retention_days: Days = setting(
        365,
        "Values before and after a change, which may be about people; a number of days or `keep`. "
        "The entry that names the changed fields stays.",
    )
    undo_hours: int = setting(24, "Hours for which a decision can be undone.", ge=1, le=8_760)
    operation_retention_days: Days = setting(90, "Finished operations; a number of days or `keep`.")
