"""The SSRF check in a network namespace where every private address answers (B1, B2, B3, B4)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]


def egress_allow(*arguments: str) -> dict[str, dict[str, int]]:
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    if not (shutil.which("unshare") and shutil.which("ip")):
        pytest.skip("unshare or ip is not installed")
    if subprocess.run(["unshare", "-n", "-m", "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine allows no network namespaces")
    done = subprocess.run(
        ["unshare", "-n", "-m", sys.executable, str(HERE / "address_lab.py"), *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(HERE)])},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, dict[str, int]] = json.loads(done.stdout)
    return report


def check(report: dict[str, dict[str, int]]) -> None:
    # Most private addresses can be reached in the namespace, so that a hole would be seen.
    assert int(str(report["visible"])) > 150
    assert report["hits"] == {}
    assert set(report["B1"]) == {"blocked_address"}
    assert set(report["neighbours"]) == {"200"}
    assert set(report["B2"]) == {"bad_url"}
    assert set(report["B3"]) == {"200", "blocked_address"}
    assert set(report["B4"]) == {"bad_redirect", "blocked_address", "200"}
    assert report["B4"]["200"] == 2  # The Refresh header and the meta element, which are not followed.


def test_no_inner_address_is_reached_by_any_way() -> None:
    check(egress_allow())


@pytest.mark.reliability
def test_no_inner_address_is_reached_in_a_thousand_rebindings() -> None:
    report = egress_allow("--full")
    check(report)
    assert sum(report["B3"].values()) == 1000
