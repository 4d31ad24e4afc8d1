"""Telephone numbers of the demo world: valid in form, kept for fiction where a country has such ranges."""

from collections import Counter
from dataclasses import dataclass

from scrapersky.demo.locale import City, Locale


@dataclass(frozen=True, slots=True)
class Line:
    """One telephone line as people of its country write it, and as machines do."""

    national: str
    e164: str


class PhoneBook:
    """Hands out each number once, until a country's ranges are used up and begin again."""

    def __init__(self) -> None:
        self._taken: Counter[str] = Counter()

    def line(self, locale: Locale, city: City) -> Line:
        if self._taken[city.phone] < 10 ** city.phone.count("#"):
            return self._take(locale, city.phone)
        return self._take(locale, locale.overflow)

    def mobile(self, locale: Locale) -> Line:
        return self._take(locale, locale.mobile)

    def _take(self, locale: Locale, pattern: str) -> Line:
        width = pattern.count("#")
        # 37 has no factor in common with 10, so the numbers come in no visible order and none twice.
        serial = (self._taken[pattern] * 37 + 11) % 10**width
        self._taken[pattern] += 1
        return line_of(locale, filled(pattern, f"{serial:0{width}d}"))


def line_of(locale: Locale, national: str) -> Line:
    digits = "".join(letter for letter in national if letter.isdigit())
    return Line(national, f"+{locale.calling_code}{digits.removeprefix(locale.trunk)}")


def filled(pattern: str, digits: str) -> str:
    """The pattern with each # replaced by the next digit."""
    supply = iter(digits)
    return "".join(next(supply) if letter == "#" else letter for letter in pattern)


def international(locale: Locale, national: str, *, with_zero: bool = False) -> str:
    """The number as printed for callers from abroad; some print the trunk zero in brackets."""
    if not locale.trunk:
        return f"+{locale.calling_code} {national}"
    rest = national.removeprefix(locale.trunk)
    zero = f"({locale.trunk})" if with_zero else ""
    return f"+{locale.calling_code} {zero}{rest}"
