"""Precision and recall of found contacts against the truth of the demo world."""

from collections.abc import Iterable
from dataclasses import dataclass

from scrapersky_demo.truth import Truth

Contact = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Score:
    """Contacts are (domain, e-mail) and (domain, E.164 number); `false` and `missing` name the faults."""

    precision: float
    recall: float
    right: int
    false: tuple[Contact, ...]
    missing: tuple[Contact, ...]

    @property
    def f1(self) -> float:
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def score(
    extracted: Iterable[Contact], truth: Truth, *, kinds: tuple[str, ...] = ("email", "phone")
) -> Score:
    """Optional contacts count neither way; agencies, traps and what robots.txt closed count as false."""
    names = {alias: domain for domain, known in truth.domains.items() for alias in (domain, *known.aliases)}
    expected, optional = _expected(truth, kinds)
    contacts = {(names.get(domain.lower(), domain.lower()), value.lower()) for domain, value in extracted}
    contacts = {
        (domain, value) for domain, value in contacts if ("email" if "@" in value else "phone") in kinds
    }
    right, false = contacts & expected, contacts - expected - optional
    return Score(
        precision=len(right) / (len(right) + len(false)) if right or false else 1.0,
        recall=len(right) / len(expected) if expected else 1.0,
        right=len(right),
        false=tuple(sorted(false)),
        missing=tuple(sorted(expected - contacts)),
    )


def _expected(truth: Truth, kinds: tuple[str, ...]) -> tuple[set[Contact], set[Contact]]:
    expected, optional = set(), set()
    for domain, known in truth.domains.items():
        for kind in kinds:
            expected |= {(domain, value.lower()) for value in known.values(kind, "expected")}
            optional |= {(domain, value.lower()) for value in known.values(kind, "optional")}
    return expected, optional
