"""The text that a page must contain before a regular expression or a CSS selector can match."""

import re

SHORTEST = 4  # Shorter texts are on every page and would let everything through.
_MOST = 12  # A pattern with more branches than this is not worth filtering.
_QUANTIFIER = re.compile(r"\{(\d*),?\d*\}")
_ESCAPED_CODE = re.compile(r"x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|c[A-Z]")
_CLOSING = re.compile(r"(?:\^?\])?(?:[^\]\\]|\\.)*\]")
_SELECTOR_TEXT = re.compile(r"""[*^$~|]?=\s*(?:"([^"]*)"|'([^']*)'|([\w-]+))|[.#]([\w-]+)|\[([\w-]+)""")
_SELECTOR_TAG = re.compile(r"([a-zA-Z][\w]*-[\w-]+)")

_ON_EVERY_PAGE = re.compile(
    r"</?[a-z]+|(?:class|id|href|src|rel|type|name|value|content|style|action|data|property)="
    r"|stylesheet|text/(?:javascript|css)|content|hidden|https?|www\.|\.(?:js|css|com|min)\b|[^a-z0-9]+"
)

Need = tuple[str, ...]  # One of these texts, in lower case, has to be there; empty when nothing is known.


def required_by_pattern(pattern: str) -> Need:
    """The best need of a JavaScript or RE2 pattern."""
    return _long_enough(_Reader(pattern).branches())


def required_by_selector(selector: str) -> Need:
    """The need of a list of CSS selectors: the longest text of each of them."""
    need: list[str] = []
    for part in selector.split(","):
        texts = [max(groups, key=len) for groups in _SELECTOR_TEXT.findall(part)] + _SELECTOR_TAG.findall(
            part
        )
        longest = max(texts, key=len, default="")
        # Attribute values in a page may be written with entities.
        if "&" in longest or not longest.isascii():
            return ()
        need.append(longest.lower())
    return _long_enough(tuple(need))


def _long_enough(need: Need) -> Need:
    return need if need and len(need) <= _MOST and min(map(len, need)) >= SHORTEST else ()


def _better(first: Need, second: Need) -> Need:
    """The need that is harder to meet: what every page has counts for nothing."""

    def rank(need: Need) -> tuple[int, int]:
        return (min(len(_ON_EVERY_PAGE.sub("", text)) for text in need), -len(need)) if need else (-1, 0)

    return max(first, second, key=rank)


class _Reader:
    """Reads a pattern from left to right, keeping only what has to be present."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.place = 0

    def branches(self) -> Need:
        needs = [self.sequence()]
        while self._next("|"):
            needs.append(self.sequence())
        if not all(needs):
            return ()
        return tuple(dict.fromkeys(text for need in needs for text in need))

    def sequence(self) -> Need:
        best: Need = ()
        run = ""
        while self.place < len(self.pattern) and self.pattern[self.place] not in "|)":
            letter, need = self._atom()
            fewest, once = self._quantifier()
            if letter and fewest and once:
                run += letter
                continue
            if letter and fewest:
                run += letter
            best = _better(best, (run,)) if run else best
            run = ""
            if need and fewest:
                best = _better(best, need)
        return _better(best, (run,)) if run else best

    def _atom(self) -> tuple[str, Need]:
        """One letter, or the need of a group, or nothing."""
        letter = self.pattern[self.place]
        self.place += 1
        if letter == "(":
            return "", self._group()
        if letter == "[":
            return self._class(), ()
        if letter == "\\":
            return self._escaped(), ()
        if letter in "^$." or not letter.isascii():
            return "", ()
        return letter.lower(), ()

    def _group(self) -> Need:
        looks = self.pattern.startswith(("?=", "?!", "?<"), self.place)
        if self.pattern.startswith("?", self.place):
            start = re.compile(r"\?(?:<?[=!]|P?<\w+>|[a-z-]*:?)").match(self.pattern, self.place)
            self.place = start.end() if start else self.place
        need = self.branches()
        self._next(")")
        return () if looks else need

    def _class(self) -> str:
        end = _CLOSING.match(self.pattern, self.place)
        members = self.pattern[self.place : end.end() - 1] if end else self.pattern[self.place :]
        self.place = end.end() if end else len(self.pattern)
        same = set(members.lower())
        return same.pop() if len(same) == 1 and members.isascii() and members not in "^\\" else ""

    def _escaped(self) -> str:
        if code := _ESCAPED_CODE.match(self.pattern, self.place):
            self.place = code.end()
            return ""
        letter = self.pattern[self.place : self.place + 1]
        self.place += 1
        return "" if letter.isalnum() or not letter.isascii() else letter

    def _quantifier(self) -> tuple[bool, bool]:
        """Whether the atom has to be there, and whether it is there exactly once."""
        mark = self.pattern[self.place : self.place + 1]
        if mark and mark in "?*+":
            self.place += 1
            self._next("?")
            return mark == "+", False
        if count := _QUANTIFIER.match(self.pattern, self.place):
            self.place = count.end()
            self._next("?")
            return count[1] not in ("", "0"), False
        return True, True

    def _next(self, mark: str) -> bool:
        is_there = self.pattern.startswith(mark, self.place)
        self.place += is_there
        return is_there
