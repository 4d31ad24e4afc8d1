"""The environments of the peers: each its own, made on the first run, never imported by the product."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bench.results import ROOT

FOLDER = ROOT / ".venv" / "peers"


def peer(who: str, packages: tuple[str, ...], folder: Path = FOLDER) -> Path | None:
    """The interpreter of a peer's environment with these packages; None if it cannot be made."""
    python, mark = folder / who / "bin" / "python", folder / who / "complete"
    wanted = " ".join(packages)
    if python.exists() and mark.exists() and mark.read_text(encoding="utf-8") == wanted:
        return python
    print(f"making an environment for {who}", file=sys.stderr)
    commands = (
        [sys.executable, "-m", "venv", "--clear", str(folder / who)],
        [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages],
    )
    for command in commands:
        try:
            subprocess.run(command, check=True, capture_output=True, text=True, timeout=900)
        except (OSError, subprocess.SubprocessError) as fault:
            said = getattr(fault, "stderr", "") or str(fault)
            print(f"{who}: {said.strip()[-500:]}", file=sys.stderr)
            return None
    mark.write_text(wanted, encoding="utf-8")
    return python
