"""`make quality` measures what it says: counts, tables, peers that cannot run, and the history of runs."""

import re

import pytest
from quality import __main__ as command
from quality import cases, document, formats, history, measure, ours, peers, shared, tables
from quality.bands import LEAST_FINDINGS, Band, threshold_of
from quality.diagram import STEPS
from quality.scores import LabelledPage, PageScore, Score, total

from scrapersky.settings import load_settings


def labelled(country="AT", language="de", **labels):
    return LabelledPage("one", cases.CASES, country, "a-b.test", "", language, labels)


def test_a_page_counts_what_is_right_surplus_and_missing():
    page = labelled(emails=["a@b.test", "c@d.test"], emails_optional=["info@b.test"], people=["Ines Prado"])
    prediction = {"emails": ["a@b.test", "x@y.test", "info@b.test"], "people": [{"name": "Inés Prado"}]}
    score = cases.score(page, prediction)
    assert score.fields == {"emails": Score(1, 1, 1), "people": Score(1, 0, 0)}
    assert (score.fields["emails"].precision, score.fields["emails"].recall) == (0.5, 0.5)


def test_the_own_pages_lose_phones_when_nothing_is_known_beforehand():
    pages = cases.pages()
    read = {known.name: ours.predictions(pages, known) for known in (ours.ALL_HINTS, ours.NO_HINTS)}
    figures = {
        name: total(cases.score(page, lines[page.id]) for page in pages) for name, lines in read.items()
    }
    assert figures["all hints"]["phones"].f1 == 1
    assert figures["no hints"]["phones"].recall < 1
    assert figures["no hints"]["emails"].f1 == 1


def test_without_the_shared_pages_the_own_ones_are_measured(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(shared, "FOLDER", tmp_path)
    command.main(["--no-peers"])
    printed = capsys.readouterr().out
    assert f"## Own labelled pages: {len(cases.pages())}" in printed
    assert "The shared labelled pages are not here" in printed
    assert "Shared labelled pages:" not in printed


def test_a_peer_that_cannot_run_is_left_out(monkeypatch, capsys, tmp_path):
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho no such tool >&2\nexit 1\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setattr(peers, "peer", lambda name, packages: broken if name == "crawl4ai" else None)
    measured = measure.own_pages(with_peers=True)
    assert measured.peers == {}
    assert "crawl4ai left out: no such tool" in capsys.readouterr().err


def test_groups_show_the_best_peer_beside_ours_and_wrong_values_where_nothing_is_labelled():
    page = labelled(emails=["a@b.test"], phones=[])
    scores = {
        ours.ALL_HINTS.name: [PageScore(page, {"emails": Score(1, 0, 0), "phones": Score(0, 2, 0)})],
        "extract-emails": [PageScore(page, {"emails": Score(0, 0, 1)})],
        "plain patterns": [PageScore(page, {"emails": Score(1, 1, 0)})],
    }
    measured = measure.Measured("own labelled pages", scores, [], {}, {}, {})
    row = tables.by_group([measured], "country").splitlines()[-1]
    assert [cell.strip() for cell in row.strip("|").split("|")] == [
        "AT", "1", "1.00 / 0.67", "2 wrong", "–", "–", "–",
    ]  # fmt: skip
    assert "| emails | extract-emails  |" in tables.by_field(measured)


@pytest.mark.parametrize("field", ["emails", "addresses"])
def test_the_report_has_a_part_for_each_figure(field):
    page = labelled(**{field: []})
    scores = {ours.ALL_HINTS.name: [PageScore(page, {field: Score(3, 1, 0)})]}
    measured = measure.Measured(
        "shared labelled pages", scores, [(field, 0.95, True)], {"role": (9, 10)}, {field: (0, 4)}, {}
    )
    assert "| role |" in document.figures(measured)
    assert "get one at 0.9 or more: 0 of 4." in document.confidence([measured])


def test_the_history_shows_every_kept_run_newest_first():
    results = (
        "# Results\n\n## quality, 2026-02-02 10:00 UTC\n\n`make`\n\n| What | Who | Value | Unit | Note |\n"
        "|---|---|--:|---|---|\n| emails, F1 | shared labelled pages | 0.99 |  |  |\n"
        "| emails, F1 | own labelled pages | 1 |  |  |\n\n## engine, 2026-02-01 10:00 UTC\n\n"
        "| emails, F1 | shared labelled pages | 0.1 |  |  |\n\n## quality, 2026-01-01 10:00 UTC\n\n"
        "| emails, F1 | shared labelled pages | 0.9 |  |  |\n| role | shared labelled pages | 0.8 |  |  |\n"
    )
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in history.render(results).splitlines()
    ]
    heads = rows[0]
    assert [dict(zip(heads, row, strict=True))["Emails"] for row in rows[2:]] == ["0.990", "0.900"]
    assert [dict(zip(heads, row, strict=True))["Role"] for row in rows[2:]] == ["–", "0.800"]


def test_formats_are_found_only_with_street_and_number(monkeypatch, tmp_path):
    (tmp_path / "at.yaml").write_text(
        "# Austria\n---\ndescription: one\ncomponents:\n    country_code: at\n    house_number: 7\n"
        "    road: Seestraße\n    postcode: 5020\n    city: Salzburg\nexpected:  |\n    Seestraße 7\n"
        "    5020 Salzburg\n\n---\ndescription: no number\ncomponents:\n    country_code: at\n"
        "    road: Seestraße\n    city: Salzburg\nexpected:  |\n    Seestraße\n    Salzburg\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(formats, "FORMATS", tmp_path)
    assert formats.found() == (1, 1)


def test_a_threshold_is_the_lowest_step_from_which_up_findings_are_right():
    def bands(*counts):
        return [Band(floor, right, wrong) for floor, (right, wrong) in zip(STEPS, counts, strict=True)]

    few, right, wrong = (LEAST_FINDINGS - 1, 0), (LEAST_FINDINGS, 0), (LEAST_FINDINGS, 1)
    assert threshold_of(bands(few, few, wrong, right, few, right, few)) == 0.7
    assert threshold_of(bands(few, few, few, few, few, right, wrong)) is None
    assert threshold_of(bands(few, few, few, few, few, few, few)) is None


def test_automatic_delivery_begins_at_the_published_threshold_of_emails():
    page = document.PAGE.read_text(encoding="utf-8")
    published = re.search(r"^\| emails +\| +(\S+) \|", page, re.M)
    assert published
    assert load_settings(env_file=None, environment={}).auto_delivery_min_confidence >= 100 * float(
        published[1]
    )
