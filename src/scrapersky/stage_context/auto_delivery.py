"""Which contacts are delivered without a person's decision: the law and manners ask for caution (S33)."""

from __future__ import annotations

from dataclasses import dataclass

WEBMAIL = "free"


@dataclass(frozen=True, slots=True)
class AutoDelivery:
    """Hidden and webmail addresses are left out unless switched on; so is what is not sure enough.

    A contact whose page asks not to be contacted is never delivered automatically.
    """

    includes_hidden: bool = False
    includes_webmail: bool = False
    results: frozenset[str] = frozenset({"valid"})
    min_confidence: float = 0.8

    def accepts(
        self,
        *,
        is_hidden: bool,
        relation: str | None,
        result: str,
        confidence: float | None,
        has_objection: bool = False,
    ) -> bool:
        if has_objection:
            return False
        if is_hidden and not self.includes_hidden:
            return False
        if relation == WEBMAIL and not self.includes_webmail:
            return False
        return result in self.results and (confidence or 0.0) >= self.min_confidence
