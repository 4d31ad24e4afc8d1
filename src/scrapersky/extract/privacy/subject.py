"""A person as texts may name them: addresses and numbers in plain, URL, HTML, JSON and Base64 writing."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from scrapersky.extract.privacy.identifiers import (
    EMAIL,
    GOOGLE_MAIL,
    PHONE,
    Identifier,
    find_identifiers,
    hidden_forms,
    national_identifier,
    written_forms,
)

ERASED = "[erased]"
# Fields that describe the person whose address or number stands beside them.
PERSON_FIELDS = frozenset(
    {"person", "job_title", "first_name", "last_name", "full_name", "contact_name", "contact_person"}
)
_SEPARATOR = r"[\s().\-/\u00a0]{0,3}"


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom texts are searched for. Domains are not people and are left out."""

    identifiers: frozenset[Identifier]
    _numbers: tuple[re.Pattern[str], ...] = field(init=False)
    _fragments: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        numbers = [
            _number_pattern(identifier.value) for identifier in self.identifiers if identifier.kind == PHONE
        ]
        object.__setattr__(self, "_numbers", tuple(numbers))
        object.__setattr__(self, "_fragments", tuple(self._base64_fragments()))

    @property
    def fragments(self) -> tuple[str, ...]:
        """What the Base64 of any text with the person in it contains, in the case of Base64."""
        return self._fragments

    @property
    def digits(self) -> list[str]:
        """The national digits of the numbers."""
        return [
            national_identifier(identifier.value).value
            for identifier in self.identifiers
            if identifier.kind == PHONE
        ]

    def needles(self) -> Iterator[str]:
        """Lower-case texts of which one is in every text that names the person other than in Base64."""
        for local, _ in self._mailboxes():
            yield local
            yield "".join(f"&#{ord(letter)};" for letter in local)
            yield "".join(f"&#x{ord(letter):x};" for letter in local)
            yield "".join(f"\\u{ord(letter):04x}" for letter in local)
            yield "".join(f"%{byte:02x}" for byte in local.encode())

    def _mailboxes(self) -> Iterator[tuple[str, str]]:
        for identifier in self.identifiers:
            if identifier.kind != EMAIL:
                continue
            local, _, host = identifier.value.rpartition("@")
            # At Google Mail dots may stand between any two letters, and it has two names.
            if host in GOOGLE_MAIL:
                yield from ((name, host) for name in sorted(GOOGLE_MAIL))
            else:
                yield local, host

    def _base64_fragments(self) -> Iterator[str]:
        for identifier in sorted(self.identifiers):
            for form in {
                form for name in written_forms(identifier) for form in (name, name.upper(), name.title())
            }:
                yield from _fragments(form.encode())

    def contains(self, text: str) -> bool:
        """Whether the text names the person, in whatever writing."""
        if any(fragment in text for fragment in self._fragments):
            return True
        return any(self._is_in(form) for form in (text, *hidden_forms(text)))

    def _is_in(self, text: str) -> bool:
        if any(number.search(text) for number in self._numbers):
            return True
        return any(not self.identifiers.isdisjoint(finding.identifiers) for finding in find_identifiers(text))

    def redact(self, value: Any) -> Any:
        """The value without the person; keys of objects too. In JSON what was the person alone is empty."""
        if isinstance(value, str):
            return self._redact_text(value)
        if isinstance(value, dict):
            clean = {self.redact(name): _emptied(part, self.redact(part)) for name, part in value.items()}
            if any(is_plain(part) and self.redact(part) != part for part in value.values()):
                clean |= dict.fromkeys(PERSON_FIELDS & clean.keys())
            return clean
        if isinstance(value, list | tuple):
            parts = [_emptied(part, self.redact(part)) for part in value]
            return [
                clean for part, clean in zip(value, parts, strict=True) if clean is not None or part is None
            ]
        return value

    def _redact_text(self, text: str) -> str:
        if not self.contains(text):
            return text
        clean = text
        for finding in reversed(list(find_identifiers(text))):
            if not self.identifiers.isdisjoint(finding.identifiers):
                clean = clean[: finding.start] + ERASED + clean[finding.end :]
        for number in self._numbers:
            clean = number.sub(ERASED, clean)
        # What is hidden in another writing cannot be cut out of it.
        return ERASED if self.contains(clean) else clean


def _emptied(before: Any, after: Any) -> Any:
    """Nothing in place of a value that was the person alone: a mark would be read as an address."""
    return None if after == ERASED and before != ERASED else after


def is_plain(value: Any) -> bool:
    """Whether it is a text, or a list of texts."""
    return isinstance(value, str) or (
        isinstance(value, list | tuple) and all(isinstance(part, str) for part in value)
    )


def _fragments(data: bytes) -> Iterator[str]:
    """The part of the Base64 that does not depend on what stands before and after, for each position."""
    for offset in range(3):
        first, last = -(-offset * 8 // 6), (offset + len(data)) * 8 // 6
        yield b64encode(bytes(offset) + data).decode()[first:last]


def _number_pattern(e164: str) -> re.Pattern[str]:
    """The number with and without its country, however it is separated."""
    national = national_identifier(e164).value
    code = e164[1 : len(e164) - len(national)]
    digits = _SEPARATOR.join(national)
    prefix = (
        rf"(?:(?:\+|00)?{_SEPARATOR}{_SEPARATOR.join(code)}{_SEPARATOR}(?:\(0\){_SEPARATOR})?|0{_SEPARATOR})"
    )
    return re.compile(rf"(?<!\d){prefix}?{digits}(?!\d)")


def make_subject(identifiers: Sequence[Identifier]) -> Subject:
    return Subject(frozenset(identifier for identifier in identifiers if identifier.kind in (EMAIL, PHONE)))
