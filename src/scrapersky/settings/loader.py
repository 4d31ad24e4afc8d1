"""Reads the settings from the environment, a .env file and secret files; one line for each error."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dotenv.parser import parse_stream
from pydantic import SecretStr, ValidationError
from pydantic_core import ErrorDetails

from scrapersky.settings.checks import risky_settings
from scrapersky.settings.model import Settings
from scrapersky.settings.name_hints import RENAMED, misspelled_names

ENV_FILE = Path(".env")
PREFIX = "SCRAPERSKY_"
# Names that other parts of the project read from the environment.
KNOWN_ELSEWHERE = ("SCRAPERSKY_CHROMIUM", "SCRAPERSKY_TEST_")
LONGEST_SECRET_FILE = 65_536


class InvalidSettings(Exception):
    """Some settings are invalid; the message has one line for each."""

    exit_code = 2


def load_settings(
    *, env_file: Path | None = ENV_FILE, environment: Mapping[str, str] | None = None
) -> Settings:
    """All settings, checked. The environment takes precedence over the file."""
    process = dict(os.environ if environment is None else environment)
    names = {name.upper() for name in Settings.model_fields}
    problems: list[str] = []
    from_file = _read_env_file(env_file, names, problems) if env_file else {}
    environment = {**from_file, **{name: value for name, value in process.items() if value != ""}}
    problems += [_unknown(name, names) for name in sorted(process) if _is_stray(name, names)]
    values = {name.lower(): environment[name] for name in sorted(names & environment.keys())}
    _read_secret_files(environment, values, problems)
    settings = _checked(values, problems)
    settings._origins = {name: _origin(name.upper(), process) for name in values}
    return settings


def changed_settings(
    settings: Settings, changes: Mapping[str, Any], *, origin: str = "command line"
) -> Settings:
    """A copy with other values, checked by the same rules."""
    if unknown := sorted(changes.keys() - Settings.model_fields.keys()):
        raise ValueError(f"Unknown settings: {', '.join(unknown)}")
    # Defaults stay defaults: some features ask whether a person chose the value.
    changed = _checked({**settings.model_dump(exclude_unset=True), **changes}, [])
    changed._origins = {**settings._origins, **dict.fromkeys(changes, origin)}
    return changed


def _origin(name: str, process: Mapping[str, str]) -> str:
    return "environment" if process.get(name) or process.get(f"{name}_FILE") else ".env"


def _checked(values: Mapping[str, Any], problems: list[str]) -> Settings:
    try:
        settings = Settings.model_validate(values)
    except ValidationError as error:
        problems += [line for details in error.errors(include_url=False) for line in _lines(details, values)]
    if problems:
        raise InvalidSettings("\n".join(problems))
    return settings


def settings_warnings(settings: Settings, *, environment: Mapping[str, str] | None = None) -> list[str]:
    """Likely misspellings and risky values, one line each; they do not stop the start."""
    names = os.environ if environment is None else environment
    return [*misspelled_names(names), *risky_settings(settings)]


def is_secret(name: str) -> bool:
    """Whether a setting must never be shown."""
    return SecretStr in getattr(Settings.model_fields[name].annotation, "__args__", ())


def _read_env_file(path: Path, names: set[str], problems: list[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    try:
        with path.open(encoding="utf-8-sig") as stream:
            bindings = list(parse_stream(stream))
    except FileNotFoundError:
        return values
    except UnicodeDecodeError:
        problems.append(f"{path} is not a UTF-8 text file")
        return values
    except OSError as error:
        problems.append(f"{path} cannot be read: {error.strerror}")
        return values
    for binding in bindings:
        name = binding.key
        if binding.error or (name and binding.value is None):
            problems.append(f"{path} line {binding.original.line} is not NAME=value")
        elif name is None:
            continue
        elif name in values:
            problems.append(f"{name} is set twice in {path}")
        elif name not in names and name.removesuffix("_FILE") not in names:
            problems.append(_unknown(name, names))
        elif binding.value:
            values[name] = binding.value
    return values


def _read_secret_files(environment: Mapping[str, str], values: dict[str, Any], problems: list[str]) -> None:
    secrets = [
        name for name in Settings.model_fields if is_secret(name) and f"{name.upper()}_FILE" in environment
    ]
    for name in secrets:
        setting = name.upper()
        path = Path(environment[f"{setting}_FILE"])
        if name in values:
            problems.append(f"{setting} and {setting}_FILE are both set: keep one")
            continue
        try:
            text = path.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            problems.append(f"{setting}_FILE names {path}, which cannot be read: {reason}")
            continue
        if not text or len(text) > LONGEST_SECRET_FILE:
            problems.append(f"{setting}_FILE names {path}, which is {'too long' if text else 'empty'}")
        else:
            values[name] = text


def _is_stray(name: str, names: set[str]) -> bool:
    return name.startswith(PREFIX) and name not in names and not name.startswith(KNOWN_ELSEWHERE)


def _unknown(name: str, names: set[str]) -> str:
    bare = name.removeprefix(PREFIX)
    near = [bare] if bare in names else [RENAMED[bare]] if bare in RENAMED else []
    near = near or difflib.get_close_matches(bare, sorted(names), n=1, cutoff=0.75)
    return f"{name} is not a setting" + (f": did you mean {near[0]}?" if near else "")


def _lines(details: ErrorDetails, values: Mapping[str, Any]) -> list[str]:
    if not details["loc"]:
        return details["msg"].removeprefix("Value error, ").splitlines()
    name = str(details["loc"][0])
    reason = _reason(details)
    if is_secret(name):
        return [f"{name.upper()} {reason}"]
    value = re.sub(r"[^\x20-\x7e]", "?", str(values.get(name, "")))[:60]
    return [f"{name.upper()} is {value!r} but {reason}"]


def _reason(details: ErrorDetails) -> str:
    context = details.get("ctx", {})
    kind = details["type"]
    reason = {
        "greater_than_equal": f"must be at least {context.get('ge')}",
        "less_than_equal": f"must be at most {context.get('le')}",
        "int_parsing": "must be a whole number",
        "int_from_float": "must be a whole number",
        "int_parsing_size": "must be a number of sensible size",
        "bool_parsing": "must be true or false",
        "uuid_parsing": "must be a UUID",
        "literal_error": f"must be one of {context.get('expected')}",
        "string_too_long": f"must have at most {context.get('max_length')} characters",
    }.get(kind)
    return reason or details["msg"].removeprefix("Value error, ")
