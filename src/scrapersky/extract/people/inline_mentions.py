"""A name and a role on one line: labels, lists, sentences, brackets."""

import re
from collections.abc import Iterator
from itertools import zip_longest

from scrapersky.extract.html.line_index import TextLine
from scrapersky.extract.people.adjacent_mentions import role_line
from scrapersky.extract.people.candidate_lines import (
    JOINT,
    CandidateLines,
    Mention,
    make_mention,
    split_glued,
)
from scrapersky.extract.people.east_asian_names import find_titled_names
from scrapersky.extract.people.name_pattern import read_shape
from scrapersky.extract.people.name_vocabulary import POLITE, SURNAMES
from scrapersky.extract.people.names import (
    LONGEST_NAME,
    PersonName,
    is_title,
    read_leading_name,
    read_name,
    read_trailing_name,
)
from scrapersky.extract.people.role_lines import COPULAS, OURS
from scrapersky.extract.people.role_vocabulary import INTRODUCTIONS, PERSON_LABELS
from scrapersky.extract.people.roles import clean_role, is_field_label, is_person_label, is_role, is_role_word
from scrapersky.extract.text.phrase_book import PhraseBook

_LIST_JOINT = re.compile(r"\s*[,;/|&•·\t]\s*|\s+(?:und|and|et|y|e|en|och|og|ja|oraz|és|și|и|та|i)\s+")
_COPULA = re.compile(
    rf" (?:{COPULAS}) +"
    r"(?:M(?:me|onsieur|adame|r|rs|s)?\.?\s+|Herrn?\s+|Frau\s+)?(?=[^\W\d_a-zß-öø-ÿ])"
)
_INTRODUCTIONS = PhraseBook(INTRODUCTIONS.split("|"))
_ANY_LABEL = re.compile(r"(?<!\w)(?:" + PERSON_LABELS + r")", re.IGNORECASE)
_CAPACITY = re.compile(
    r"\s*,?\s*(?:en sa qualité de|en qualité de|in qualità di|en calidad de|na qualidade de|als|as|"
    r",)\s+([^,.;\n]{2,60})",
    re.IGNORECASE,
)
_REPRESENTED = re.compile(
    r"(?<!\w)(?:vertreten durch|represented by|représentée? par|vertegenwoordigd door|representad[ao] "
    r"(?:legalmente )?por|rappresentat[ao] d(?:a|al|alla)|reprezentowan[aey] przez|zastoupen[aáý]?|"
    r"(?P<led>(?:led|run|directed|owned|founded|started|established|owned and (?:operated|run))"
    r"(?: in \d{4})? by|gegründet von|fondée? (?:en \d{4} )?par|fundad[ao] (?:e[nm] \d{4} )?por|"
    r"fondat[ao] (?:nel \d{4} )?da|opgericht door|założon[aey] przez|grundades av|grundlagt af|"
    r"grunnlagt av|geleitet von|dirigée? par|dirigid[ao] "
    r"por|dirett[ao] da|guidata da|geleid door|kierowan[aey] przez|leds av|ledes a[vf]))"
    r"(?: (?:den|die|das|dem|der|the|its|sa|son|le|la|il|lo|el|de|het|seinen?|ihren?))?\s+",
    re.IGNORECASE,
)
# Between the labelled parts of a line: "Chair: Anna Berg. Treasurer: Tom Hill".
_LABELLED = re.compile(r"(?<=[^\W\d_]{2})[.;,|•·]? +(?=[^\W\d_][^:.;,|]{2,40}: )")
_OURS = re.compile(rf"(?<!\w)(?:{OURS}) +", re.IGNORECASE)
_NAME_START = re.compile(
    r"(?:(?<=, )|(?<= ))(?:(?:Dr|Mr|Mrs|Ms|Frau|Herrn?|Mme|Prof)\.? )?"
    r"[^\W\d_a-zß-ÿ][\w'’.-]+ [^\W\d_a-zß-ÿ]"
)
_CLAUSE_END = re.compile(r"[.,;:!?()–]| who | and | und | et | y | e | die | der | qui | que | che ")
_LONGEST_CLAUSE = 90
_MOST_ROLE_WORDS = 5
_CAPITAL = re.compile(r"(?<![\w.-])[^\W\d_a-z]")
_LONGEST_LABEL = 40
_LONGEST_ROSTER = 600
_BRACKETED = re.compile(r"([^()|;•·]{4,80})\(([^()]{2,60})\)")
_BRACKETS = re.compile(r"\(([^()]{2,60})\)")
_QUOTES = '"“„«»‘”'
_MOST_IN_LIST = 8


def find_on_line(page: CandidateLines, number: int) -> Iterator[Mention]:
    """A name and a role on one line, in any order, or a label with a list of names."""
    text = page.lines[number].text
    said = _LABELLED.split(text) if text.count(":") > 1 else []
    if len(said) > 1 and all(_introduces(piece.partition(":")[0].strip()) for piece in said):
        for piece in said:
            label, _, rest = piece.partition(":")
            yield from _listed(
                page, number, rest.rstrip(" .;"), "" if is_field_label(label) else clean_role(label)
            )
        return
    label, colon, rest = text.partition(":")
    if colon and rest.strip() and len(label) <= 100 and _introduces(label.strip()):
        yield from _listed(page, number, rest, "" if is_field_label(label) else _without_label(label))
        return
    if colon and len(label) <= _LONGEST_LABEL and _is_polite(rest):
        yield from _listed(page, number, rest, None if any(map(str.isdigit, label)) else clean_role(label))
        return
    joint = JOINT.search(text)
    if joint is not None:
        yield from _joined(page, number, text[: joint.start()], text[joint.end() :])
        return
    if not _says_role(page, number):
        return
    last = read_trailing_name(text)
    if last is not None and _is_label_before(text[: last[1]].strip(), is_known=last[0].is_known):
        yield make_mention(page, number, last[0].text, _without_label(text[: last[1]]), 0.7, "line")
        return
    first = read_leading_name(text)
    rest = text[first[1] :].strip() if first is not None else ""
    if first is not None and first[0].is_known and is_role(rest) and rest.lower() not in SURNAMES:
        yield make_mention(page, number, first[0].text, clean_role(rest), 0.7, "line")


def _is_polite(text: str) -> bool:
    """Whether a text begins with a form of address, which marks a person behind any label."""
    first, _, _ = text.strip().partition(" ")
    return first.casefold().strip(".,") in POLITE


def _without_label(text: str) -> str:
    """The role alone where a label such as "represented by" introduces it."""
    label = _REPRESENTED.match(text)
    rest = text[label.end() :] if label else ""
    return clean_role(rest if rest and is_role(rest) else text)


def _says_role(page: CandidateLines, number: int) -> bool:
    """Whether a line may hold a role, or begins as the introduction of a person does."""
    return number in page.role_lines.roles or is_person_label(page.lines[number].text)


def _introduces(label: str) -> bool:
    return is_role(label) or is_person_label(label) or is_field_label(label)


def find_rosters(page: CandidateLines) -> Iterator[Mention]:
    """Several persons on one line, each with the role in brackets; or a role glued to a name."""
    for number in sorted(page.role_lines.roles):
        line = page.lines[number]
        if page.others[number] or not 8 <= len(line.text) <= _LONGEST_ROSTER:
            continue
        if line.text.count("(") > 1:
            yield from _bracketed(page, number)
        elif len(line.text) <= 100 and number not in page.names:
            yield from _glued(page, number)


def _bracketed(page: CandidateLines, number: int) -> Iterator[Mention]:
    for match in _BRACKETED.finditer(page.lines[number].text):
        name = read_trailing_name(match[1].strip()[-LONGEST_NAME:])
        if name is not None and is_role(match[2]):
            yield make_mention(page, number, name[0].text, clean_role(match[2]), 0.8, "line")


def _glued(page: CandidateLines, number: int) -> Iterator[Mention]:
    parts = split_glued(page.lines[number].text)
    if parts is not None:
        yield make_mention(page, number, parts[0].text, clean_role(parts[1]), 0.75, "line")


def _is_label_before(text: str, *, is_known: bool) -> bool:
    """Whether a role or label stands before a name; an uncommon name needs a label of several words."""
    if not is_known:
        return is_person_label(text) and " " in text
    return is_role(text.strip(" ,:-–")) or is_person_label(text)


def _joined(page: CandidateLines, number: int, left: str, right: str) -> Iterator[Mention]:
    """Two halves of a line: name and role, role and name, or a titled name and anything."""
    name = read_name(left)
    if name is not None:
        capacity = _CAPACITY.match(f", {right}")
        role = next(
            (part for part in (capacity[1] if capacity else "", *_pieces(right)) if _is_only_role(part)), None
        )
        if role is not None and len(right) <= 90:
            yield make_mention(
                page,
                number,
                name.text,
                clean_role(role),
                0.8 if name.is_known or name.is_titled else 0.6,
                "line",
            )
        elif name.is_titled and name.is_known and len(right) <= 70:
            yield make_mention(page, number, name.text, None, 0.65, "line")
        elif name.is_known and role_line(page, number, -1) is not None and len(right) <= 60:
            above = role_line(page, number, -1)
            yield make_mention(
                page, number, name.text, clean_role(page.lines[above or 0].text), 0.7, "role line"
            )
        return
    if not _says_role(page, number):
        return
    said = read_trailing_name(left)
    if said is not None and _is_label_before(left[: said[1]].strip(), is_known=said[0].is_known):
        yield make_mention(page, number, said[0].text, clean_role(left[: said[1]]), 0.75, "label")
        return
    last = read_name(_pieces(right)[-1]) if right.strip() else None
    is_turned = left.casefold() in SURNAMES and read_shape(f"{left}, {right}") is not None
    if last is not None and (last.is_known or last.is_titled) and is_role(left) and not is_turned:
        yield make_mention(page, number, last.text, clean_role(left), 0.75, "line")


def _is_only_role(text: str) -> bool:
    """Whether a text is a role, and not a person whose family name is a trade, as "Jens Koch" is."""
    name = read_name(text) if is_role(text) else None
    return is_role(text) and not (name is not None and name.is_known)


def _pieces(text: str) -> list[str]:
    return [piece.strip(" )") for piece in JOINT.split(text) if piece.strip(" )")] or [text]


def _listed(page: CandidateLines, number: int, text: str, role: str | None) -> Iterator[Mention]:
    """The names behind a label, each with the role that the list or the label gives."""
    parts = [part.strip() for part in _LIST_JOINT.split(text.strip())[:_MOST_IN_LIST]]
    for part, after in zip_longest(parts, parts[1:], fillvalue=""):
        name, own = _listed_name(part)
        if name is None or len(part) > LONGEST_NAME + 25 or not (role or name.is_known):
            continue
        if not own and is_person_label(role or "") and is_role(after) and _listed_name(after)[0] is None:
            own = after
        sure = 0.85 if name.is_known or name.is_titled else 0.7
        yield make_mention(page, number, name.text, clean_role(own) or role, sure, "label")


def _listed_name(part: str) -> tuple[PersonName | None, str]:
    """The name in one part of a list, and the role in brackets behind it or in words before it."""
    first = read_leading_name(part)
    if first is not None:
        own = _BRACKETS.search(part)
        return first[0], own[1] if own is not None and is_role(own[1]) else ""
    last = read_trailing_name(part)
    words = part[: last[1]].split() if last is not None else []
    while words and is_title(words[-1]):
        words.pop()
    if last is not None and last[0].is_known and is_role(" ".join(words)):
        return last[0], " ".join(words)
    return None, ""


def sentences(page: CandidateLines) -> set[int]:
    """The lines in which somebody may be said to be something, or which a role of East Asia stands in."""
    said = {number for number in page.role_lines.copulas if _says_who(page.lines[number].text)}
    return said | page.role_lines.east_asian_roles


def _says_who(text: str) -> bool:
    """Whether a capital follows a word for being."""
    return any(text[match.end()].isupper() for match in _COPULA.finditer(text))


def find_in_sentence(line: TextLine, number: int) -> Iterator[Mention]:
    """Who is what, said in a sentence; and the roles of East Asia before their names."""
    if not line.text.isascii():
        for titled in find_titled_names(line.text):
            yield Mention(
                titled.name, titled.role, number, line.start + titled.start, line.text[:300], 0.8, "label"
            )
    for match in _COPULA.finditer(line.text):
        if not line.text[match.end()].isupper():
            continue
        name = read_leading_name(line.text[match.end() :])
        role = (
            _role_said(line.text[max(0, match.start() - 110) : match.start()]) if name is not None else None
        )
        if name is None or role is None:
            continue
        capacity = _CAPACITY.match(line.text, match.end() + name[1])
        if capacity and is_role(capacity[1]):
            role = capacity[1]
        yield Mention(
            name[0].text,
            clean_role(role),
            number,
            line.start + match.end(),
            line.text[:300],
            0.75,
            "sentence",
        )


def find_apposed(line: TextLine, number: int) -> Iterator[Mention]:
    """Whom a sentence calls one of its own: "our shop manager, Anna Berg" or "Anna Berg, our manager"."""
    text = line.text
    for match in _OURS.finditer(text):
        rest = text[match.end() : match.end() + _LONGEST_CLAUSE]
        capital = _NAME_START.search(rest)
        role = rest[: capital.start()].strip(" ,:–-") if capital else ""
        name = read_leading_name(rest[capital.start() :]) if capital and is_role(role) else None
        if capital and name and len(role.split()) <= _MOST_ROLE_WORDS:
            start = line.start + match.end() + capital.start()
            yield Mention(name[0].text, clean_role(role), number, start, text[:300], 0.7, "apposition")
            continue
        role = _CLAUSE_END.split(rest, maxsplit=1)[0].strip()
        before = text[: match.start()]
        said = read_trailing_name(before.rstrip(" ,–-")) if before.rstrip()[-1:] in (",", "–", "-") else None
        if said and said[0].is_known and is_role(role) and len(role.split()) <= _MOST_ROLE_WORDS:
            start = line.start + said[1]
            yield Mention(said[0].text, clean_role(role), number, start, text[:300], 0.7, "apposition")


def find_represented(line: TextLine, number: int) -> Iterator[Mention]:
    """By whom the organisation is said to be represented, in the middle of a sentence."""
    for match in _REPRESENTED.finditer(line.text):
        rest = line.text[match.end() : match.end() + LONGEST_NAME + 60]
        for spot in _CAPITAL.finditer(rest):
            name = read_leading_name(rest[spot.start() :])
            before = rest[: spot.start()].strip()
            if name is None or not (name[0].is_known or name[0].is_titled):
                continue
            if not before or is_role(before):
                role = clean_role(before) or (None if match["led"] else clean_role(match.group()))
                start = line.start + match.end() + spot.start()
                yield Mention(name[0].text, role, number, start, line.text[:300], 0.75, "sentence")
            break


def find_introduced(line: TextLine, number: int) -> Iterator[Mention]:
    """Somebody who speaks in the first person and says the name."""
    if line.text not in _INTRODUCTIONS or line.text[0] in _QUOTES:
        return
    for _, end in _INTRODUCTIONS.found_in(line.text.lower()):
        rest = line.text[end:].lstrip()
        name = read_leading_name(rest) if rest[:1].isupper() else None
        if name is not None and name[0].is_known:
            yield Mention(name[0].text, None, number, line.start + end, line.text[:300], 0.65, "introduction")


def _role_said(text: str) -> str | None:
    """The role or label that the beginning of a sentence speaks of."""
    clause = re.split(r"[.;:!?]\s", text)[-1]
    label = _ANY_LABEL.search(clause)
    if label is not None:
        return label.group()
    return next(
        (word for word in re.findall(r"[^\W\d_][\w'’-]*", clause) if is_role_word(word.lower())), None
    )
