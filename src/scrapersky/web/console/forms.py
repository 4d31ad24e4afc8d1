"""Forms as the console reads them: bounded, and without the characters that no database stores."""

from __future__ import annotations

from urllib.parse import urlsplit

from fastapi import Request
from starlette.datastructures import FormData, UploadFile

from scrapersky.actions.submission_input import MAX_INPUT_BYTES
from scrapersky.api.problems import Problem

MAX_FORM_BYTES = 1024 * 1024
# The largest file, or as many pasted lines as are taken at once, with the rest of their form.
MAX_SUBMISSION_BYTES = MAX_INPUT_BYTES + 64 * 1024
MAX_FIELDS = 20_000
# The address of a list holds all its filters.
MAX_PATH, MAX_BACK = 1_000, 8_000


async def read_form(request: Request, *, max_bytes: int = MAX_FORM_BYTES) -> FormData:
    """The fields of the form; NUL characters are removed, a longer body is refused."""
    length = request.headers.get("content-length", "")
    if not (length.isascii() and length.isdigit()) or int(length[:15]) > max_bytes:
        limit = f"{max_bytes // 2**20} MiB" if max_bytes >= 2**20 else f"{max_bytes // 2**10} KiB"
        raise Problem(413, "Too large", f"This is larger than {limit}. Split it and send one part at a time.")
    form = await request.form(max_files=1, max_fields=MAX_FIELDS, max_part_size=max_bytes)
    cleaned = [
        (name, value if isinstance(value, UploadFile) else value.replace("\0", ""))
        for name, value in form.multi_items()
    ]
    return FormData(cleaned)


def text_of(form: FormData, name: str, default: str = "") -> str:
    value = form.get(name, default)
    return value.strip() if isinstance(value, str) else default


def texts_of(form: FormData, name: str) -> list[str]:
    return [value for value in form.getlist(name) if isinstance(value, str)]


def return_path(form: FormData, default: str) -> str:
    """The page that the form says it came from."""
    return own_path(text_of(form, "back"), default, max_length=MAX_BACK)


def own_path(path: str, default: str = "/", *, max_length: int = MAX_PATH) -> str:
    """The path if it leads to a page of ours, else the default: a link must not send people elsewhere."""
    # Browsers drop tabs and line ends in an address, and read a backslash as a slash.
    is_plain = path.isprintable() and not set(path) & set(" \\") and len(path) <= max_length
    if not is_plain or not path.startswith("/") or path.startswith("//"):
        return default
    try:
        parts = urlsplit(path)
    except ValueError:
        return default
    return default if parts.scheme or parts.netloc else path
