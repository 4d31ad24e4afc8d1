"""One contact or trap shown on a page: its value, the page, the method and the exact piece of HTML."""

from dataclasses import dataclass, replace

SITE_WIDE = ("header", "footer")


@dataclass(frozen=True, slots=True)
class Placement:
    """`standing` says what a reader should do with it: expected, optional, or false (a trap)."""

    kind: str
    value: str
    path: str
    slot: str
    method: str
    markup: str
    detail: str = ""
    standing: str = "expected"
    label: str = ""
    person: str = ""
    role: str = ""

    @property
    def everywhere(self) -> bool:
        return self.slot in SITE_WIDE

    def at(self, path: str, slot: str) -> "Placement":
        return replace(self, path=path, slot=slot)
