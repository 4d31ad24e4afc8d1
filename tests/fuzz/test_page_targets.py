"""The fuzz targets of reading pages, run over random inputs without a fuzzer."""

import runpy
from pathlib import Path

import pytest


@pytest.mark.parametrize("target", ["fuzz_page.py", "fuzz_charset.py"])
def test_a_fuzz_target_survives_random_inputs(target):
    names = runpy.run_path(str(Path(__file__).with_name(target)))
    tests = [value for name, value in names.items() if name.startswith("test_")]
    assert tests
    for test in tests:
        test()
