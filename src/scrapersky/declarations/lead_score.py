"""The parts of the lead score: what each looks at, and how much it counts unless an admin says otherwise."""

from __future__ import annotations

from dataclasses import dataclass

MAX_WEIGHT = 100
MAX_WORDS = 200


@dataclass(frozen=True, slots=True)
class ScorePart:
    """One reason why a lead is good. A part `has_words` if it compares the lead with words of the tenant."""

    name: str
    title: str
    weight: int
    about: str
    has_words: bool = False


SCORE_PARTS: dict[str, ScorePart] = {
    part.name: part
    for part in (
        ScorePart(
            "category",
            "Category",
            20,
            "The business has one of the wanted categories.",
            has_words=True,
        ),
        ScorePart(
            "area",
            "Area",
            10,
            "The business is in one of the wanted cities, postcodes, states or countries.",
            has_words=True,
        ),
        ScorePart(
            "technology",
            "Technology",
            10,
            "The website uses one of the wanted technologies.",
            has_words=True,
        ),
        ScorePart(
            "reachability",
            "Reachability",
            25,
            "An e-mail address, best at the own domain, a phone number and the name of a person.",
        ),
        ScorePart(
            "email_verdict",
            "E-mail verdict",
            20,
            "What the validation says about the address.",
        ),
        ScorePart(
            "evidence",
            "Evidence",
            10,
            "The number of pages that show the contact; three are enough.",
        ),
        ScorePart(
            "freshness",
            "Freshness",
            15,
            "How long ago the contact was last seen: full points within 30 days, none after a year.",
        ),
    )
}
