"""Persons in the text of a page, by every way of telling them."""

from collections.abc import Iterator

from scrapersky.extract.people.adjacent_mentions import addressee, paired_names, same_cards, titled_heading
from scrapersky.extract.people.candidate_lines import CandidateLines, Mention
from scrapersky.extract.people.inline_mentions import (
    in_sentence,
    introduced,
    on_one_line,
    represented,
    rosters,
    sentences,
)

_LONGEST_SENTENCE = 400


def find_mentions(page: CandidateLines, text: str, *, is_team_page: bool) -> Iterator[Mention]:
    """Every person the text speaks of as one of the organisation."""
    paired = list(paired_names(page))
    yield from paired
    yield from rosters(page)
    yield from same_cards(page, paired, is_team_page=is_team_page)
    for number in page.names:
        if not page.others[number]:
            yield from addressee(page, number)
            yield from titled_heading(page, number)
    for number in page.mixed:
        if not page.others[number]:
            yield from on_one_line(page, number)
    hints = page.role_lines
    for number in sorted({*sentences(text, page), *hints.introductions, *hints.representations}):
        line = page.lines[number]
        if 5 <= len(line.text) <= _LONGEST_SENTENCE and not page.others[number]:
            yield from in_sentence(line, number)
            if number in hints.introductions:
                yield from introduced(line, number)
            if number in hints.representations:
                yield from represented(line, number)
