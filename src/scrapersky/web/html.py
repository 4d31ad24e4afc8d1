"""HTML: one environment for the templates of every page, and how numbers and times are shown."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FunctionLoader, StrictUndefined, select_autoescape

from scrapersky.declarations.attributions import ATTRIBUTIONS
from scrapersky.web.assets import Assets, accepts_gzip

# Digits in groups that never break at the end of a line.
GROUP = "\u202f"
SAFE_SCHEMES = ("http", "https", "mailto", "tel")
MIN_COMPRESSED_BYTES = 1_000
STEPS = ((60, "s"), (60, "min"), (24, "h"), (365, "d"))


@cache
def make_templates(assets: Assets) -> Environment:
    """The environment; templates are compiled once per process."""
    templates = Environment(
        loader=FunctionLoader(_template),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {"number": show_number, "age": show_age, "day": show_day, "link": safe_link}
    templates.filters |= {"duration": show_duration}
    templates.globals |= {"asset": assets.url, "query": show_query, "attributions": ATTRIBUTIONS}
    # In the page itself, so that it costs no request.
    templates.globals["brand_address"] = f"data:image/svg+xml,{quote(assets.read('img/cloud.svg'))}"
    return templates


def _template(name: str) -> str | None:
    source = files("scrapersky.web") / "templates" / name
    return source.read_text(encoding="utf-8") if source.is_file() else None


def respond_html(request: Request, html: str, *, status: int = 200) -> HTMLResponse:
    """The page, compressed if the browser takes that; nothing secret is in a page beside foreign text."""
    body = html.encode("utf-8", "replace")
    response = HTMLResponse(body, status_code=status, headers={"Vary": "Accept-Encoding, HX-Request"})
    if len(body) >= MIN_COMPRESSED_BYTES and accepts_gzip(request):
        response.body = gzip.compress(body, compresslevel=5, mtime=0)
        response.headers["Content-Encoding"] = "gzip"
        response.headers["Content-Length"] = str(len(response.body))
    return response


# ---- filters


def show_number(value: float | None) -> str:
    """1234567 as 1 234 567; a dash for nothing."""
    if value is None:
        return "–"
    text = f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
    return text.replace(",", GROUP)


def show_age(moment: datetime | None) -> str:
    """How long ago, in its largest unit: 12 s, 4 min, 3 h, 20 d."""
    if moment is None:
        return "–"
    age: float = max((datetime.now(UTC) - moment).total_seconds(), 0)
    for size, unit in STEPS:
        if age < size or unit == "d":
            return f"{int(age)}{GROUP}{unit}"
        age /= size
    return ""


def show_duration(ms: float | None) -> str:
    """Milliseconds in a unit that people read: 120 ms, 1.4 s, 12 min."""
    if ms is None:
        return "–"
    for factor, unit in ((3_600_000, "h"), (60_000, "min"), (1_000, "s"), (1, "ms")):
        if ms >= factor or unit == "ms":
            value = ms / factor
            digits = f"{value:.1f}".removesuffix(".0") if value < 10 else f"{value:.0f}"
            return f"{digits}{GROUP}{unit}"
    return ""


def show_day(moment: datetime | None) -> str:
    """A full time for people, in UTC."""
    return "–" if moment is None else f"{moment.astimezone(UTC):%-d %b %Y %H:%M} UTC"


def safe_link(url: str | None) -> str:
    """The URL if its scheme is harmless, else nothing: pages may hold javascript: links."""
    try:
        return url if url and urlsplit(url).scheme.lower() in SAFE_SCHEMES else ""
    except ValueError:
        return ""


def show_query(params: Mapping[str, Any], **changes: Any) -> str:
    """The query of a link with some parameters changed; None removes one."""
    kept = {name: value for name, value in {**params, **changes}.items() if value not in (None, "", [], ())}
    text = urlencode(kept, doseq=True)
    return f"?{text}" if text else "?"
