"""Recognises roles, labels that introduce people, and headings of sections about others."""

import re
from functools import lru_cache

from scrapersky.extract.people.role_vocabulary import (
    CREDITS,
    ENDINGS,
    LEGAL_ROLES,
    OTHERS_SECTION,
    PERSON_LABELS,
    ROLE_WORDS,
)
from scrapersky.extract.people.script_names import has_caseless_role, is_caseless
from scrapersky.extract.text.cleanup import lower_letters
from scrapersky.extract.text.phrase_book import PhraseBook

LONGEST_ROLE = 100
_LONGEST_CASELESS = 30
_MOST_WORDS = 11
_WORD = re.compile(r"[^\W\d_][\w'’]*(?:-(?=\w)[\w'’]*)*")
_LAST_LETTERS = frozenset(ending[-4:] for ending in ENDINGS)  # The shortest of them has four.
_LABEL = re.compile(
    r"(?:l[ea] |il |el |o |a |der |die |das |the )?(?:" + PERSON_LABELS.lower() + r")(?:[\s:：,(]|$)"
)
# The first letters of all labels and of the articles before them: most lines need no more than this look.
_LABEL_STARTS_TEXT = (
    "ver|ges|inh|red|für|v.i|v. |ang|ans|kon|ihr|rep|con|leg|res|per|aut|dir|rés|le |int|édi|nom|tit|"
    "pes|rap|ref|oso|zas|jed|odp|zod|kap|kép|fel|кон|в л|лиц|υπε|νόμ|yet|yht|vas|odg|zak|der|die|das|"
    "the|la |il |el |o r|a r"
)
LABEL_STARTS = frozenset(_LABEL_STARTS_TEXT.split("|"))
_OTHERS = PhraseBook(OTHERS_SECTION.split("|"))
_CREDITS = PhraseBook(CREDITS.split("|"))
_SKIPPED_TEXT = """
contact kontakt contacto contatto contato
title position role function funktion fonction cargo ruolo rolle funkcja pozice beosztás name nom nombre
nome naam imię jméno název név
"""
FIELD_LABELS = frozenset(_SKIPPED_TEXT.split())
_FOREIGN = re.compile(r"@|https?:|www\.|\d{4,}|[!?…©]")
# These name a role only as the last word of several.
_LAST_WORDS = (["lead"], ["head"])
_SENTENCE_END = re.compile(r"[a-zà-ž]{3}[.] [A-ZÀ-Ž]")
_SENTENCE_WORDS_TEXT = """
is are was were we you our your will can has have ist sind war wir sie uns unser unsere ihr ihre haben hat
wird werden können est sont nous vous notre nos votre avons été es fue nuestro nuestra sus sono siamo
nostro nostra vostro jest są nasz nasze jsme naše jsou wij zijn onze uw är vi vår våra för att that this
which who if not oder
"""
_SENTENCE_WORDS = frozenset(_SENTENCE_WORDS_TEXT.split())


def has_role_word(text: str) -> bool:
    """Whether some word of the text names a role."""
    if is_caseless(text):
        return has_caseless_role(text)
    low = text.lower()
    return any(map(is_role_word, _WORD.findall(low))) or "head of " in low or low.endswith((" lead", " head"))


@lru_cache(maxsize=32_768)
def is_role_word(word: str) -> bool:
    """Whether one word in lower case names a role, also as the end of a compound."""
    if word in ROLE_WORDS:
        return True
    head, _, tail = word.rpartition("-")
    is_compound = len(word) > 7 and word[-4:] in _LAST_LETTERS and word.endswith(ENDINGS)
    return is_compound or bool(head and tail in ROLE_WORDS)


@lru_cache(maxsize=8_192)
def is_plural_role(word: str) -> bool:
    """Whether one word in lower case is the plural of a word that names a role."""
    if word.endswith("innen"):
        return is_role_word(word.removesuffix("nen"))
    return (
        len(word) > 5
        and word.endswith("s")
        and (word[:-1] in ROLE_WORDS or word.removesuffix("es") in ROLE_WORDS)
    )


def is_role(text: str) -> bool:
    """Whether the whole of a short line is a role."""
    if not 2 <= len(text) <= LONGEST_ROLE:
        return False
    if is_caseless(text):
        return len(text) <= _LONGEST_CASELESS and not _FOREIGN.search(text) and has_caseless_role(text)
    words = _WORD.findall(text.lower())
    if len(words) > _MOST_WORDS or _FOREIGN.search(text) or (len(text) > 40 and _SENTENCE_END.search(text)):
        return False
    if (
        not any(map(is_role_word, words))
        and words[:2] != ["head", "of"]
        and words[1:][-1:] not in _LAST_WORDS
    ):
        return False
    return len(words) <= 3 or not any(word in _SENTENCE_WORDS for word in words)


def is_sentence(text: str) -> bool:
    """Whether several words say something rather than name it."""
    words = _WORD.findall(text.lower())
    return len(words) > 3 and any(word in _SENTENCE_WORDS for word in words)


def is_person_label(text: str) -> bool:
    """Whether a line begins as the introduction of persons in an imprint does."""
    return (
        text[:3].lower() in LABEL_STARTS
        and len(text) <= 160
        and _LABEL.match(lower_letters(text)) is not None
    )


def is_legal_role(text: str) -> bool:
    """Whether a role is an office that only a person has."""
    return not LEGAL_ROLES.isdisjoint(_WORD.findall(text.lower()))


def is_field_label(text: str) -> bool:
    """Whether a line is only the name of a field, such as "Title:", between a name and a role."""
    return len(text) <= 14 and text.rstrip(" :").casefold() in FIELD_LABELS


def opens_third_party_section(text: str) -> bool:
    """Whether a heading opens a part that speaks of customers, partners or readers."""
    return len(text) <= 80 and text in _OTHERS


def opens_credits(text: str) -> bool:
    """Whether a short line credits the makers of the site or of its pictures."""
    return len(text) <= 90 and text in _CREDITS


def clean_role(text: str) -> str:
    """A role as it is kept: one line without marks around it."""
    role = " ".join(text.split()).strip(" .,:;|–—-•·")
    if role.count("(") != role.count(")"):
        role = role.strip("()").strip()
    return role[:200]
