"""Finds the lines of a page that are about people of other organisations."""

import re

from scrapersky.extract.html import Document
from scrapersky.extract.html.document import CUSTOMERS
from scrapersky.extract.html.line_index import TextLine
from scrapersky.extract.people.roles import is_person_label, opens_credits, opens_third_party_section
from scrapersky.extract.text import one_line

_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
_OTHERS_CLASS = (
    "testimonial", "review", "quote", "comment", "byline", "author", "client", "rezension", "bewertung",
    "avis", "opinion",
)  # fmt: skip
_PARTS_OF_CUSTOMERS = ",".join(
    f'[{attribute}*="{word}" i]' for attribute in ("class", "id") for word in ("testimonial", "kundenstimmen")
)
_WHOLE = frozenset(["html", "body", "main", "a"])
_MOST_PARTS = 100
_MOST_OF_PAGE = 0.8
_QUOTE_MARKS = '"“„«”»‘'
_CREDIT_REACH = 7
_OTHERS_REACH = 80
_MENU = frozenset(["li", "nav", "ul", "label", "button", "td"])
_SHORT = 60
# The partners of a law firm or a practice are its people.
_PARTNERS = re.compile(r"(?i)^(?:[^\W\d]+ ){0,3}(?:the )?partners$")
_PRACTICE = re.compile(
    r"(?i)attorneys?|lawyers?|law firm|solicitors|barristers|rechtsanw|avocats|abogados|avvocati|kancelari"
)


def find_third_party_lines(doc: Document, openings: set[int]) -> list[bool]:
    """For each line of a page whether it speaks of customers, partners or the makers of the site.

    `openings` are the lines that may open such a part.
    """
    whole, lines = doc.text, doc.lines
    of_others = _classes_of_others({line.classes for line in lines})
    flags = [line.tag == "blockquote" or line.classes in of_others for line in lines]
    said = _said_by_customers(doc)
    if said:
        flags = [flag or line.text in said for flag, line in zip(flags, lines, strict=True)]
    level, credit, reach = 0, 0, 0
    for number in range(min(openings, default=len(lines)), len(lines)):
        if not level and not credit and number not in openings:
            continue
        line = lines[number]
        text, is_heading = line.text, line.tag in _HEADINGS
        short = len(text) <= _SHORT
        opens = short and number in openings
        if is_heading:
            credit = 0
            if level and int(line.tag[1]) <= level:
                level = 0
        elif short and credit and (text.endswith(":") or is_person_label(text)):
            credit = 0
        if (
            opens
            and (is_heading or (len(text) <= 30 and line.tag not in _MENU))
            and opens_third_party_section(text)
            and not (_PARTNERS.search(text) and _PRACTICE.search(whole))
        ):
            level, reach = level or (int(line.tag[1]) if is_heading else 5), number + _OTHERS_REACH
        elif number > reach:
            level = 0
        if opens and opens_credits(text) and not is_person_label(text):
            flags[number] = True
            if _introduces(line, is_heading=is_heading):
                credit = _CREDIT_REACH
        flags[number] = flags[number] or level > 0 or credit > 0
        credit -= credit > 0
    if any(map(whole.__contains__, _QUOTE_MARKS)):
        _flag_quotes(lines, flags)
    return flags


def _said_by_customers(doc: Document) -> set[str]:
    """The short texts within elements whose class or id says that customers speak there."""
    if doc.keywords.keys().isdisjoint(CUSTOMERS):
        return set()
    said: set[str] = set()
    for node in doc.tree.css(_PARTS_OF_CUSTOMERS)[:_MOST_PARTS]:
        if node.tag not in _WHOLE:
            text = node.text(separator="\n")
            if len(text) < _MOST_OF_PAGE * len(doc.text):
                said.update(one_line(piece) for line in text.split("\n") if len(piece := line.strip()) > 3)
    return said


def _introduces(line: TextLine, *, is_heading: bool) -> bool:
    """Whether a credit names its makers on the lines below rather than on its own."""
    return line.text.endswith(":") or (
        (is_heading or len(line.text.split()) in (2, 3)) and line.tag != "li" and ":" not in line.text
    )


def _classes_of_others(classes: set[str]) -> set[str]:
    """Those of the classes that say of an element that somebody else speaks in it."""
    everything = "\n".join(classes).lower()
    signs = [sign for sign in _OTHERS_CLASS if sign in everything]
    return {name for name in classes if any(map(name[:500].lower().__contains__, signs))} if signs else set()


def _flag_quotes(lines: list[TextLine], flags: list[bool]) -> None:
    """Whoever stands right below a quotation said it."""
    for number, line in enumerate(lines):
        text = line.text
        if len(text) <= 40:
            continue
        if text[0] in _QUOTE_MARKS or text.rstrip(" .")[-1:] in _QUOTE_MARKS:
            for below in range(number + 1, min(number + 3, len(lines))):
                if len(lines[below].text) <= _SHORT:
                    flags[below] = True
