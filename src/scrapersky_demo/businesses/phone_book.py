"""Telephone numbers of the demo world: valid in form, from ranges that are free or kept for fiction."""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from scrapersky_demo.locales.locale import City, Locale


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
        while True:
            # 37 has no factor in common with 10, so the numbers come in no visible order and none twice.
            serial = (self._taken[pattern] * 37 + 11) % 10**width
            self._taken[pattern] += 1
            line = line_of(locale, fill_pattern(pattern, f"{serial:0{width}d}"))
            if not _is_row(line.e164):
                return line


def _is_row(e164: str) -> bool:
    """Whether six digits stand in a row (123456, 987654, 000000), as only numbers of samples do."""
    steps = [int(later) - int(earlier) for earlier, later in pairwise(e164[1:])]
    return any(set(steps[at : at + 5]) in ({0}, {1}, {-1}) for at in range(len(steps) - 4))


def line_of(locale: Locale, national: str) -> Line:
    digits = "".join(letter for letter in national if letter.isdigit())
    return Line(national, f"+{locale.calling_code}{digits.removeprefix(locale.trunk)}")


def fill_pattern(pattern: str, digits: str) -> str:
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
