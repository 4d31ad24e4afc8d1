"""The built wheel holds all it needs: installed beside its packages alone, it runs the demo anywhere."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert told.returncode == 0, told.stderr
    return next(target.glob("*.whl"))


def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    ours = {str(path.relative_to(SRC)) for path in SRC.rglob("*") if path.is_file()}
    ours = {name for name in ours if "__pycache__" not in name}
    with zipfile.ZipFile(wheel) as packed:
        held = {name for name in packed.namelist() if ".dist-info/" not in name}
    assert held == ours
    assert "scrapersky/tables/migrations/env.py" in held


def test_the_wheel_runs_the_demo_in_a_clean_environment(wheel: Path, folder: Path) -> None:
    python = clean_environment(folder / "environment")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    for arguments in (["install", "-q", "--no-index", "--no-deps", str(wheel)], ["check"]):
        told = subprocess.run([*pip, *arguments], cwd=folder, capture_output=True, text=True, timeout=120)
        assert told.returncode == 0, told.stdout + told.stderr

    strange = {name for name in os.environ if name.startswith(("PYTHON", "SCRAPERSKY"))}
    environment = {name: value for name, value in os.environ.items() if name not in strange}
    environment["DATA_FOLDER"] = str(folder / "data")
    command = [str(python.with_name("scrapersky")), "demo", "--size", "3", "--json", "--quiet"]
    told = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=240)
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout.splitlines()[-1])["contacts"] > 0
    assert (folder / "demo-contacts.csv").read_text().startswith("domain,")


def clean_environment(folder: Path) -> Path:
    """An environment with the packages of requirements/run.txt, linked from ours, and nothing else."""
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    asked = "import sysconfig; print(sysconfig.get_path('purelib'))"
    target = Path(subprocess.check_output([python, "-c", asked], text=True).strip())
    for line in (ROOT / "requirements" / "run.txt").read_text().splitlines():
        if not (pin := re.match(r"([a-z0-9._-]+)==\S+( ;)?", line)):
            continue
        try:
            files = importlib.metadata.distribution(pin[1]).files or []
        except importlib.metadata.PackageNotFoundError:
            assert pin[2], f"{pin[1]} is not installed and has no condition"
            continue
        for file in files:
            # What a package puts elsewhere (commands, manual pages) is not needed here.
            if ".." not in file.parts and "__pycache__" not in file.parts:
                place = target / file
                place.parent.mkdir(parents=True, exist_ok=True)
                try:
                    os.link(Path(str(file.locate())), place)
                except OSError:
                    # The folder for temporary files may be on another disk.
                    shutil.copy2(Path(str(file.locate())), place)
    return python


ON_PYTHON_3_14 = """
import sys, types
from backports import zstd
sys.modules |= {"backports": None, "backports.zstd": None, "pycld2": None}
sys.modules["compression"] = types.ModuleType("compression")
sys.modules["compression"].zstd = zstd
# Other people's modules look at the version too, so it is newer for this one alone.
real, sys.version_info = sys.version_info, (3, 14, 0, "final", 0)
import scrapersky.fetch.http.zstd
sys.version_info = real
import scrapersky.extract.page, scrapersky.stage_context.page_body_store
from scrapersky.extract.country.detector import written_language
assert zstd.decompress(scrapersky.stage_context.page_body_store.compress_body(b"page")) == b"page"
assert written_language("Dies ist ein deutscher Satz, der lang genug ist, um ihn zu erkennen.") is None
print("works")
"""


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="it is the real thing here")
def test_what_python_3_14_lacks_or_brings_itself_is_not_imported() -> None:
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    told = subprocess.run(
        [sys.executable, "-c", ON_PYTHON_3_14], env=environment, capture_output=True, text=True, timeout=60
    )
    assert told.stdout == "works\n", told.stderr
