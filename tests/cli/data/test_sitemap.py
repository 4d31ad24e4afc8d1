"""`sitemap`: scan and continue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result

Sky = Callable[..., Result]
Told = Callable[..., Any]


@pytest.mark.req("R165", "R221")
def test_a_scan_makes_a_job_that_can_be_shown(sky: Sky, told: Told) -> None:
    made = told("sitemap", "scan", "shop.com", "--max-pages", "50")
    job = told("job", "show", str(made["id"]))
    assert (job["job_id"], job["status"]) == (made["job_id"], "pending")
    assert job["result_data"] == {"domain": "shop.com", "max_pages": 50}
    assert sky("sitemap", "scan", "127.0.0.1").exit_code == 2
    assert sky("sitemap", "continue", "018f0000-0000-7000-8000-000000000000").exit_code == 3
