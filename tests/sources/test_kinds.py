"""Kinds of business: people's words become categories; unknown ones suggest."""

from __future__ import annotations

import csv
import os
from fnmatch import filter as matching
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from scrapersky.errors import InvalidInput
from scrapersky.sources.kinds import kind_words, overture_kind

CATEGORIES = Path(os.environ.get("CONTRACTS_FOLDER", "contracts"), "overture", "overture_categories.csv")


def has_category(kind: str, category: str) -> bool:
    return any(fnmatchcase(category, pattern) for pattern in overture_kind(kind).categories)


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("bakery", "bakery"),
        ("Bakeries", "bakery"),
        ("dentists", "orthodontist"),
        ("Law firm", "criminal_defense_law"),
        ("restaurant", "thai_restaurant"),
        ("real_estate_agent", "real_estate_agent"),
        ("gas_station_sushi", "gas_station_sushi"),
        ("churches", "baptist_church"),
    ],
)
def test_words_become_categories(text: str, category: str) -> None:
    assert has_category(text, category)


def test_a_kind_has_only_its_own_categories() -> None:
    assert not has_category("bakery", "butcher_shop")
    assert not has_category("thai restaurant", "restaurant")


@pytest.mark.parametrize(("text", "word"), [("bakrey", "bakery"), ("plummer", "plumber")])
def test_a_misspelt_kind_suggests_the_right_one(text: str, word: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        overture_kind(text)
    assert word in refused.value.details["suggestions"]  # type: ignore[operator]


def test_every_kind_is_suggested_by_its_first_word() -> None:
    assert {"bakery", "dentist", "lawyer"} <= set(kind_words())
    assert all(overture_kind(word).categories for word in kind_words())


@pytest.mark.skipif(not CATEGORIES.is_file(), reason="needs the published list of categories")
def test_every_category_is_in_the_published_list() -> None:
    with CATEGORIES.open(encoding="utf-8-sig") as file:
        published = [row[0].strip() for row in csv.reader(file, delimiter=";")]
    patterns = {pattern for word in kind_words() for pattern in overture_kind(word).categories}
    assert [pattern for pattern in sorted(patterns) if not matching(published, pattern)] == []
