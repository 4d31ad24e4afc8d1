"""The command line filters by the same words as the API."""

from __future__ import annotations

import pytest

from scrapersky.cli.filter_options import OWN_FILTERS, TIMES
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.filters import parameters

SHARED = {"status", "contains", "error", "domain", *TIMES}


@pytest.mark.parametrize("name", ENTITIES)
def test_every_filter_of_the_api_is_an_option(name: str) -> None:
    """`-q` is also called --contains."""
    options = {*OWN_FILTERS[name], *SHARED} - {"contains"} | {"q"}
    own_status = set() if "status" in parameters(ENTITIES[name]) else {"status"}
    assert options - own_status == set(parameters(ENTITIES[name]))
