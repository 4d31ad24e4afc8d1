"""The vendored fingerprints are the published ones, unchanged and free to use."""

import hashlib
import json
from importlib import resources

FOLDER = resources.files("scrapersky.extract.technologies").joinpath("data/wappalyzer")


def manifest() -> dict[str, object]:
    return json.loads(FOLDER.joinpath("manifest.json").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def test_each_file_has_the_checksum_of_the_manifest() -> None:
    files = manifest()["files"]

    assert isinstance(files, dict)
    assert len(files) == 29
    for name, facts in files.items():
        content = FOLDER.joinpath(name).read_bytes()
        assert (hashlib.sha256(content).hexdigest(), len(content)) == (facts["sha256"], facts["bytes"]), name


def test_no_file_is_missing_from_the_manifest() -> None:
    files = manifest()["files"]
    assert isinstance(files, dict)

    present = {f"technologies/{file.name}" for file in FOLDER.joinpath("technologies").iterdir()}
    present |= {file.name for file in FOLDER.iterdir() if file.is_file()}

    assert present == {*files, "manifest.json"}


def test_the_package_itself_declares_the_licence() -> None:
    package = json.loads(FOLDER.joinpath("package.json").read_text(encoding="utf-8"))
    ours = manifest()

    assert package["license"] == ours["license"] == "MIT"
    assert package["version"] == ours["version"] == "6.10.47"
