"""Alerts are sent once when raised and once when resolved; a broken channel is logged and breaks nothing."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from product import ago
from scrapersky import tables
from scrapersky.alert_channels.mail import Mail
from scrapersky.alert_channels.webhook import Slack, Webhook
from scrapersky.log import Log
from scrapersky.maintenance import Maintenance, MaintenanceOptions, raise_alert
from scrapersky.maintenance.alerts import resolve_quiet_alerts
from scrapersky.settings import Settings
from scrapersky.wiring import alert_channels, build_maintenance

sys.path.insert(0, str(Path(__file__).parent))
from channels_lab import Hook, Post, listening

PASSWORD = "correct-horse-battery"
Lines = list[dict[str, Any]]


def maintenance_with(db: AsyncEngine, lines: Lines, *channels: Any, seconds: float = 5) -> Maintenance:
    return Maintenance(
        db, MaintenanceOptions(channel_timeout=timedelta(seconds=seconds)), lines.extend, channels
    )


async def end_all(db: AsyncEngine) -> None:
    async with db.begin() as connection:
        await resolve_quiet_alerts(connection, timedelta(0))


async def notifications(db: AsyncEngine) -> list[Any]:
    async with db.connect() as connection:
        return list((await connection.scalars(select(tables.alerts.c.notifications))).all())


@pytest.mark.req("R028")
async def test_an_alert_reaches_webhook_slack_and_mail_once_raised_and_once_resolved(
    db: AsyncEngine, lines: Lines
) -> None:
    hook, slack, post = Hook(), Hook(), Post()
    async with listening(hook, slack, post):
        mail = Mail(
            "127.0.0.1", post.port, "sky@here.example", ("a@x.example", "b@x.example"), security="none"
        )
        maintenance = maintenance_with(db, lines, Webhook(hook.url), Slack(slack.url), mail)
        for _ in range(3):
            await raise_alert(db, "scheduler_failure", "read_page", "broken <script> & token=abc123")
            await maintenance.send_alerts()
        await end_all(db)
        for _ in range(2):
            await maintenance.send_alerts()

    assert [(one["state"], one["kind"], one["subject"], one["severity"]) for one in hook.got] == [
        ("open", "scheduler_failure", "read_page", "error"),
        ("resolved", "scheduler_failure", "read_page", "error"),
    ]
    assert hook.got[0]["message"] == "broken <script> & token=***"
    assert [set(one) for one in slack.got] == [{"text"}, {"text"}]
    first = slack.got[0]["text"]
    assert first.startswith(
        "ScraperSky error: scheduler_failure read_page\nbroken &lt;script&gt; &amp; token=***"
    )
    assert slack.got[1]["text"].startswith("ScraperSky resolved: scheduler_failure read_page")
    assert [one["Subject"] for one in post.mails] == [
        "ScraperSky error: scheduler_failure read_page",
        "ScraperSky resolved: scheduler_failure read_page",
    ]
    assert (post.mails[0]["To"], post.mails[0]["From"]) == ("a@x.example, b@x.example", "sky@here.example")
    assert "broken <script>" in post.mails[0].get_content()
    sent = {"webhook": "sent", "slack": "sent", "email": "sent"}
    assert await notifications(db) == [{"open": sent, "resolved": sent}]
    assert lines == []


@pytest.mark.req("R028")
async def test_of_many_workers_one_sends_each_alert(db: AsyncEngine, lines: Lines) -> None:
    hook = Hook()
    async with listening(hook):
        for number in range(5):
            await raise_alert(db, "scheduler_failure", f"stage {number}", "broken")
        fleet = [maintenance_with(db, lines, Webhook(hook.url)) for _ in range(6)]
        numbers = await asyncio.gather(*(maintenance.send_alerts() for maintenance in fleet))

    assert sum(numbers) == 5
    assert sorted(one["subject"] for one in hook.got) == [f"stage {number}" for number in range(5)]


@pytest.mark.timed
@pytest.mark.req("R028")
async def test_broken_and_slow_channels_are_logged_and_hold_up_no_other(
    db: AsyncEngine, lines: Lines
) -> None:
    good, slow, refusing, moved = Hook(), Hook(None), Hook(), Hook()
    refusing.answer = b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"
    moved.answer = b"HTTP/1.1 302 Gone\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n"
    post = Post(hangs=True)
    async with listening(good, slow, refusing, moved, post):
        channels = [
            Webhook("http://127.0.0.1:9/hush-hush", "closed"),
            Webhook("http://[half/hush-hush", "wrong"),
            Webhook(slow.url, "slow"),
            Webhook(refusing.url, "refusing"),
            Webhook(moved.url, "moved"),
            Mail("127.0.0.1", post.port, "s@x.example", ("a@x.example",), "me", PASSWORD, "none", 30),
            Webhook(good.url),
        ]
        await raise_alert(db, "scheduler_failure", "read_page", "broken")
        began = monotonic()
        assert await maintenance_with(db, lines, *channels, seconds=1).send_alerts() == 1
        took = monotonic() - began
        # The thread of the mail that nobody waits for any longer ends its conversation.
        await asyncio.wait_for(post.left.wait(), 5)

    assert took < 4
    assert len(good.got) == 1
    assert {line["channel"]: line["error"] for line in lines} == {
        "closed": "ClientConnectorError",
        "wrong": "InvalidUrlClientError",
        "slow": "TimeoutError",
        "refusing": "HTTP 500",
        "moved": "HTTP 302",
        "email": "TimeoutError",
    }
    assert {(line["event"], line["level"]) for line in lines} == {("alert_failed", "error")}
    shown = repr([lines, channels, await notifications(db)])
    assert "hush-hush" not in shown
    assert PASSWORD not in shown


async def test_alerts_from_before_a_channel_was_set_up_are_not_sent(db: AsyncEngine, lines: Lines) -> None:
    hook = Hook()
    await raise_alert(db, "scheduler_failure", "read_page", "broken")
    async with db.begin() as connection:
        await connection.execute(update(tables.alerts).values(created_at=ago(days=2)))

    async with listening(hook):
        assert await maintenance_with(db, lines, Webhook(hook.url)).send_alerts() == 0
    assert hook.got == []


async def test_a_failure_that_does_not_recur_is_resolved(
    db: AsyncEngine, maintenance: Callable[..., Maintenance]
) -> None:
    for subject in ("read_page", "deliver"):
        await raise_alert(db, "scheduler_failure", subject, "broken")
    async with db.begin() as connection:
        await connection.execute(
            update(tables.alerts)
            .where(tables.alerts.c.subject == "read_page")
            .values(last_raised_at=ago(minutes=61))
        )

    await maintenance().evaluate_alerts()

    async with db.connect() as connection:
        query = select(tables.alerts.c.subject).where(tables.alerts.c.resolved_at.is_not(None))
        assert (await connection.scalars(query)).all() == ["read_page"]


@pytest.mark.req("R028")
async def test_channels_are_settings_and_without_any_nothing_is_scheduled(db: AsyncEngine) -> None:
    given = {
        "alert_webhook_url": "http://127.0.0.1:1/hush-hush",
        "alert_slack_url": "http://127.0.0.1:2/hush-hush",
        "alert_email_to": "a@x.example, b@x.example",
        "alert_email_from": "s@x.example",
        "alert_smtp_host": "127.0.0.1",
        "alert_smtp_password": PASSWORD,
        "alert_timeout_seconds": 3,
    }
    settings = Settings.model_validate(given)
    webhook, slack, mail = alert_channels(settings)

    assert (webhook.name, slack.name, mail.name) == ("webhook", "slack", "email")
    assert isinstance(mail, Mail)
    assert (mail.to, mail.password, mail.seconds) == (("a@x.example", "b@x.example"), PASSWORD, 3)
    maintenance = build_maintenance(settings, db, Log(stream=StringIO()))
    assert "send_alerts" in {name for name, *_ in maintenance.tasks()}
    assert maintenance.options.channel_timeout == timedelta(seconds=3)
    assert "send_alerts" not in {name for name, *_ in build_maintenance(Settings(), db, Log()).tasks()}


async def test_the_mail_server_receives_user_and_password(db: AsyncEngine, lines: Lines) -> None:
    post = Post()
    async with listening(post):
        mail = Mail("127.0.0.1", post.port, "s@x.example", ("a@x.example",), "me", PASSWORD, "none")
        await raise_alert(db, "scheduler_failure", "two\r\nBcc: all@x.example", "broken")
        await maintenance_with(db, lines, mail).send_alerts()

    assert any(line.startswith("AUTH PLAIN") for line in post.said)
    assert post.mails[0]["Bcc"] is None
    assert lines == []
