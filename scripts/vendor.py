"""Copies files of others into the package from npm archives in a folder: `make vendor ARGS=FOLDER`.

`vendor.toml` names each package with its version, licence and the checksum of its archive; icons that lie in
the folder of Lucide are added to it. An archive with another checksum is refused.
"""

from __future__ import annotations

import sys
import tarfile
import tomllib
from hashlib import sha256, sha512
from pathlib import Path
from typing import Any

VENDOR = Path(__file__).parents[1] / "src/scrapersky/web/static/vendor"
MANIFEST = VENDOR / "vendor.toml"
HEADING = """\
# Files of others that are served with the console, unchanged. `make vendor ARGS=FOLDER` copies them from the
# npm archives in a folder and writes the checksums; tests/web/test_assets.py verifies every file.
"""


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("Usage: make vendor ARGS=FOLDER, a folder with the archives that vendor.toml names")
        return 2
    folder = Path(arguments[0])
    packages = tomllib.loads(MANIFEST.read_text(encoding="utf-8"))["package"]
    for package in packages:
        body = (folder / package["archive"]).read_bytes()
        if sha512(body).hexdigest() != package["sha512"]:
            print(f"{package['archive']} differs from the sha512 in vendor.toml")
            return 1
        copy_files(package, folder / package["archive"])
    MANIFEST.write_text(HEADING + "".join(map(as_toml, packages)), encoding="utf-8")
    return 0


def copy_files(package: dict[str, Any], archive: Path) -> None:
    """Take each file from the archive, and note its place there and its checksum."""
    target = VENDOR / package["folder"]
    if package["folder"] == "lucide":
        icons = {path.name: {"from": f"package/icons/{path.name}"} for path in target.glob("*.svg")}
        package["files"] = {"LICENSE": {"from": "package/LICENSE"}, **icons}
    with tarfile.open(archive) as packed:
        for name, file in package["files"].items():
            member = packed.extractfile(file["from"])
            assert member is not None, f"{archive.name} has no {file['from']}"
            body = member.read()
            (target / name).write_bytes(body)
            file["sha256"] = sha256(body).hexdigest()


def as_toml(package: dict[str, Any]) -> str:
    facts = [f'{name} = "{value}"' for name, value in package.items() if name != "files"]
    lines = [
        f'"{name}" = {{ from = "{file["from"]}", sha256 = "{file["sha256"]}" }}'
        for name, file in sorted(package["files"].items())
    ]
    return "\n".join(["", "[[package]]", *facts, "", "[package.files]", *lines, ""])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
