"""The fuzz targets of domains, URLs, robots, sitemaps and page types, run over random inputs."""

import random
import runpy
from pathlib import Path

import pytest

TARGETS = ("hosts", "urls", "robots", "sitemaps", "pagetype")


def test_every_target_of_ours_is_listed():
    here = Path(__file__).parent
    assert all((here / f"fuzz_{name}.py").is_file() for name in TARGETS)


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_survives_random_inputs(name):
    target = runpy.run_path(str(Path(__file__).with_name(f"fuzz_{name}.py")))
    dice = random.Random(name)
    for _ in range(400):
        parts = [
            dice.choice(target["SEEDS"]) if dice.random() < 0.8 else dice.randbytes(dice.randint(0, 9))
            for _ in range(dice.randint(0, 25))
        ]
        target["TestOneInput"](b"".join(parts))
