"""How a setting is declared: default, description and limits."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, SecretStr, StringConstraints

MAX_DAYS = 36_500
# Retention is a number of days, or `keep` to never delete; 0 would be ambiguous.
Days = Annotated[int | Literal["keep"], BeforeValidator(lambda value: _days(value))]
ShortText = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2_000)]
Secret = SecretStr | None


def _days(value: object) -> int | str:
    text = str(value).strip()
    if text == "keep":
        return text
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= MAX_DAYS:
        raise ValueError(f"must be a number of days from 1 to {MAX_DAYS}, or the word keep")
    return int(text)


class Group(BaseModel):
    """Settings that belong together; the docstring of a group is its heading in the reference."""


def setting(default: Any, description: str, *, editable: bool = False, **limits: Any) -> Any:
    """A setting with its default, its description and, for numbers, `ge` and `le`.

    An `editable` one can be changed while the program runs, unless the environment sets it.
    """
    return Field(default=default, description=description, json_schema_extra={"editable": editable}, **limits)
