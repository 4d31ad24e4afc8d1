"""The requirement files pin every package with hashes, name no index, and agree with one another."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", ["run", "dev"])
def test_requirements_are_pinned_with_hashes(name: str) -> None:
    pins = requirement_pins(name)
    assert pins, f"requirements/{name}.txt is empty"
    bare = [pin for pin, rest in pins.items() if "--hash=sha256:" not in rest]
    assert not bare, "No hash for: " + ", ".join(bare)


def test_both_requirement_files_pin_the_same_versions() -> None:
    missing = requirement_pins("run").keys() - requirement_pins("dev").keys()
    assert not missing, "In run.txt but not, or not so, in dev.txt: " + ", ".join(sorted(missing))


def requirement_pins(name: str) -> dict[str, str]:
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    lines = [
        line for line in text.replace("\\\n", " ").splitlines() if line.strip() and not line.startswith("#")
    ]
    options = [line for line in lines if line.startswith("-")]
    assert not options, f"requirements/{name}.txt has option lines: {options}"
    return dict(line.split(None, 1) for line in lines)
