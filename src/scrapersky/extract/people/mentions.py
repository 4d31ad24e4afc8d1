"""All mentions of people in the text of a page."""

from collections.abc import Iterator

from scrapersky.extract.people.adjacent_mentions import (
    find_addressee,
    find_card_names,
    find_paired_names,
    find_titled_heading,
)
from scrapersky.extract.people.candidate_lines import CandidateLines, Mention
from scrapersky.extract.people.inline_mentions import (
    find_in_sentence,
    find_introduced,
    find_on_line,
    find_represented,
    find_rosters,
    sentences,
)

_LONGEST_SENTENCE = 400


def find_mentions(page: CandidateLines, text: str, *, is_team_page: bool) -> Iterator[Mention]:
    """Every person the text speaks of as one of the organisation."""
    paired = list(find_paired_names(page))
    yield from paired
    yield from find_rosters(page)
    yield from find_card_names(page, paired, is_team_page=is_team_page)
    for number in page.names:
        if not page.others[number]:
            yield from find_addressee(page, number)
            yield from find_titled_heading(page, number)
    for number in page.mixed:
        if not page.others[number]:
            yield from find_on_line(page, number)
    hints = page.role_lines
    for number in sorted({*sentences(text, page), *hints.introductions, *hints.representations}):
        line = page.lines[number]
        if 5 <= len(line.text) <= _LONGEST_SENTENCE and not page.others[number]:
            yield from find_in_sentence(line, number)
            if number in hints.introductions:
                yield from find_introduced(line, number)
            if number in hints.representations:
                yield from find_represented(line, number)
