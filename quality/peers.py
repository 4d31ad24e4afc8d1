"""Other tools on the same pages, each in an environment of its own; one that cannot run is left out."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.extraction import ENVIRONMENTS
from bench.peers import peer
from bench.results import ROOT

from quality.scores import LabelledPage, Prediction

WORKER = Path(__file__).with_name("peer_worker.py")
_PARTS = ("extract-emails", "phonenumbers", "extruct", "pyap2", "parsel", "w3lib", "setuptools<81")


@dataclass(frozen=True, slots=True)
class Peer:
    """A tool, the fields that it is made for, and its environment."""

    name: str
    fields: tuple[str, ...]
    environment: str = "quality"
    packages: tuple[str, ...] = _PARTS


PEERS = (
    Peer("extract-emails", ("emails",)),
    Peer("phonenumbers", ("phones",)),
    Peer("extruct", ("emails", "phones", "addresses", "socials", "people")),
    Peer("pyap2", ("addresses",)),
    Peer("plain patterns", ("emails", "addresses", "socials", "people")),
    Peer("crawl4ai", ("emails", "phones", "socials"), "crawl4ai", ENVIRONMENTS["crawl4ai"]),
)


def predictions(one: Peer, pages: Sequence[LabelledPage]) -> dict[str, Prediction] | None:
    """What a tool finds on the pages, with the country as a hint; None if it cannot run here."""
    python = peer(one.environment, one.packages)
    if python is None:
        return None
    lines = [json.dumps({"id": page.id, "path": str(page.path), "country": page.country}) for page in pages]
    # The folder of the peers is its home, so that it neither reads nor leaves files of the user.
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(ROOT / ".venv")}
    outcome = subprocess.run(
        [str(python), str(WORKER), one.name], input="\n".join(lines), env=environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if outcome.returncode:
        print(f"{one.name} left out: {outcome.stderr.strip()[-300:]}", file=sys.stderr)
        return None
    read = [json.loads(line) for line in outcome.stdout.splitlines()]
    return {line["id"]: line for line in read}
