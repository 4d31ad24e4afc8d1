"""The quick looks before slow patterns: they may let too much through, but never too little."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scrapersky.extract.addresses import streets
from scrapersky.extract.emails import classification
from scrapersky.extract.emails import spelled_addresses as spelled_out
from scrapersky.extract.phones import labels
from scrapersky.extract.text.regex_prefilter import prefilter, to_re2

PATTERNS = (
    classification._CREDIT,
    classification._FOREIGN,
    labels.OTHER_THAN_PHONE,
    spelled_out._AT,
    streets._PAIR,
    streets.BOX,
    streets.PLACEHOLDER,
)
LOOKS = tuple((pattern, prefilter(pattern)) for pattern in PATTERNS)
PIECES = (
    "Kundennummer: ", "Ärztekammer", "webmaster ", "design by ", "(at)", "[ ät ]", "_at_", "P.O. Box 12",
    "Postfach 4", "an der", "Straßennummer ", "UST-ID: ", "IBAN DE", "Your Street", "xxx", "123 main ",
    "Größe", "\u00a0", " ", "\n", "é", "7", "@", "İ", "Zone Industrielle", "b.p. 7",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=8).map("".join)


@given(TEXTS)
@example("Kundennummer: İİ")
@settings(max_examples=300, deadline=None)
def test_what_a_pattern_finds_passes_its_first_look(text):
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        return
    for pattern, look in LOOKS:
        if pattern.search(text):
            assert look(text), (pattern.pattern[:40], text)


@pytest.mark.parametrize(
    ("pattern", "text", "passes"),
    [
        (r"(?<!\w)box(?= \d)", "inbox", True),
        (r"box", "Postfach", False),
        (r"\w{3}nummer", "ÄÖÜnummer", True),
        (r"[^\W\d_]{2}\Z", "12é\u0301é", True),
        (r"a[)(?!]b", "a)b", True),
    ],
)
def test_a_first_look_leaves_out_what_stands_around(pattern, text, passes):
    assert prefilter(re.compile(pattern))(text) is passes


def test_letters_of_all_scripts_count():
    assert to_re2(r"\bé\w[\w-]\Z") == r"é[\pL\pM\pN_][\pL\pM\pN_-]\z"
