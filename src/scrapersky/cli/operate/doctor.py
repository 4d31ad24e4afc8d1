"""Diagnose the installation and suggest fixes."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from scrapersky.cli.command import command
from scrapersky.cli.exit_codes import FAILED, PART_FAILED
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.output import echo_json
from scrapersky.cli.program import with_program_name

if TYPE_CHECKING:
    from scrapersky.processes import doctor as process
    from scrapersky.settings import Settings
else:
    process = lazy_module("scrapersky.processes.doctor")


@command(warn=False)
@click.option("--strict", is_flag=True, help="Warnings count as failures (exit code 5).")
async def doctor(settings: Settings, strict: bool, as_json: bool) -> int:
    """Check settings, data folder, database, workers and clock, and suggest fixes; changes nothing."""
    checks = await process.run_checks(settings)
    if as_json:
        echo_json(
            {"findings": [asdict(check) for check in checks], "settings": process.shown_settings(settings)}
        )
    else:
        for check in checks:
            fix = f"  -> {with_program_name(check.remedy)}" if check.remedy else ""
            click.echo(f"{check.verdict:<5} {check.what}: {check.found}{fix}")
    verdicts = {check.verdict for check in checks}
    return FAILED if "fail" in verdicts else PART_FAILED if strict and "warn" in verdicts else 0
