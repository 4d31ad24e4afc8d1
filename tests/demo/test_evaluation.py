"""Precision and recall of found contacts, with every way in which one can be wrong."""

import pytest

from scrapersky_demo import score


@pytest.fixture
def all_expected(truth):
    return [
        (domain, value)
        for domain, known in truth.domains.items()
        for kind in ("email", "phone")
        for value in known.values(kind, "expected")
    ]


def test_finding_exactly_the_truth_scores_one(truth, all_expected):
    result = score(all_expected, truth)

    assert (result.precision, result.recall, result.f1) == (1.0, 1.0, 1.0)


def test_finding_nothing_has_no_recall(truth):
    assert score([], truth).recall == 0.0


def test_half_of_it_has_half_the_recall(truth, all_expected):
    result = score(all_expected[::2], truth)

    assert result.recall == pytest.approx(0.5, abs=0.01)
    assert len(result.missing) == len(all_expected) - result.right


def test_boilerplate_and_closed_pages_and_inventions_are_false(world, truth, all_expected):
    domain = all_expected[0][0]
    closed = next((d, v) for d, known in truth.domains.items() for v in known.values("email", "forbidden"))
    wrong = [closed, (domain, sorted(world.boilerplate())[-1]), (domain, "logo@2x.png"), (domain, "+4930123")]

    result = score(all_expected + wrong, truth)

    assert set(result.false) == set(wrong)
    assert result.recall == 1.0
    assert result.precision == pytest.approx(len(all_expected) / (len(all_expected) + 4))


def test_optional_contacts_count_neither_way(truth, all_expected):
    faxes = [(d, value) for d, known in truth.domains.items() for value in known.values("phone", "optional")]

    result = score(all_expected + faxes, truth)

    assert faxes
    assert result.precision == 1.0


def test_a_contact_found_under_another_name_of_the_site_counts(truth):
    known = next(
        known
        for known in truth.domains.values()
        if known.fate == "moved" and known.values("phone", "expected")
    )
    value = min(known.values("phone", "expected"))

    for alias in known.aliases:
        assert score([(alias.upper(), value)], truth).right == 1


def test_one_kind_can_be_scored_alone(truth, all_expected):
    emails = [contact for contact in all_expected if "@" in contact[1]]

    assert score(emails, truth, kinds=("email",)).recall == 1.0
    assert score(all_expected, truth, kinds=("email",)).precision == 1.0
