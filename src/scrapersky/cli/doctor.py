"""`scrapersky doctor`: checks this installation and names the command that fixes what it finds."""

from __future__ import annotations

import click

from scrapersky.cli.program import named
from scrapersky.cli.running import echo_json, json_option, settings_or_exit


@click.command()
@json_option
@click.option("--strict", is_flag=True, help="Warnings count as failures (exit code 5).")
def doctor(as_json: bool, strict: bool) -> None:
    """Check settings, data folder, database, workers and clock; read-only."""
    import asyncio

    from scrapersky.processes.doctor import run_checks, shown_settings

    settings = settings_or_exit(warn=False)
    findings = asyncio.run(run_checks(settings))
    if as_json:
        echo_json({"findings": [vars_of(one) for one in findings], "settings": shown_settings(settings)})
    else:
        for one in findings:
            remedy = f"  -> {named(one.remedy)}" if one.remedy else ""
            click.echo(f"{one.verdict:<5} {one.what}: {one.found}{remedy}")
    verdicts = {one.verdict for one in findings}
    raise SystemExit(1 if "fail" in verdicts else 5 if strict and "warn" in verdicts else 0)


def vars_of(finding: object) -> dict[str, str]:
    from dataclasses import asdict

    return asdict(finding)  # type: ignore[call-overload, no-any-return]
