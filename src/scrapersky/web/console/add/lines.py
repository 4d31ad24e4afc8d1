"""Domains, pages and sitemaps that a person pastes, one per line, with a result for every line."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request, Response

from scrapersky.actions.submission_input import LineResult, Submission
from scrapersky.actions.submissions import SubmissionOptions, submit_domains, submit_pages, submit_sitemaps
from scrapersky.api.caller import Caller, Operator
from scrapersky.errors import InvalidInput
from scrapersky.web.console.add.demo import offers_demo
from scrapersky.web.console.add.progress import MAX_FOLLOWED
from scrapersky.web.console.console import Console, ConsoleContext
from scrapersky.web.console.forms import MAX_SUBMISSION_BYTES, read_form, text_of

# A browser draws no more; the download has all that were refused.
MAX_DRAWN = 500
REFUSED = ("invalid", "platform")

router = APIRouter()


@dataclass(frozen=True, slots=True)
class LineKind:
    """What the lines of a form are, in the words of its page."""

    name: str
    path: str
    noun: str
    plural: str
    list_path: str
    example: str
    queue_label: str
    submit: Callable[..., Awaitable[Submission]]


DOMAINS = LineKind(
    "domain",
    "/add",
    "domain",
    "domains",
    "/domains",
    "example.com\nhttps://www.example.org/contact\nshop.example.net",
    "Read them now",
    submit_domains,
)
PAGES = LineKind(
    "page",
    "/add/pages",
    "page",
    "pages",
    "/pages",
    "https://example.com/contact\nhttps://example.org/about-us",
    "Read them now",
    submit_pages,
)
SITEMAPS = LineKind(
    "sitemap",
    "/add/sitemap",
    "sitemap",
    "sitemaps",
    "/sitemaps",
    "https://example.com/sitemap.xml\nhttps://example.org/sitemap_index.xml",
    "Import them now",
    submit_sitemaps,
)
LINE_KINDS = {kind.name: kind for kind in (DOMAINS, PAGES, SITEMAPS)}


def _form_route(kind: LineKind) -> Callable[..., Any]:
    async def show_form(request: Request, caller: Operator, console: ConsoleContext) -> Response:
        return await show_lines(request, caller, console, kind)

    return show_form


def _submit_route(kind: LineKind) -> Callable[..., Any]:
    async def submit(request: Request, caller: Operator, console: ConsoleContext) -> Response:
        form = await read_form(request, max_bytes=MAX_SUBMISSION_BYTES)
        text, is_queued = text_of(form, "lines"), text_of(form, "queue", "now") == "now"
        try:
            options = SubmissionOptions(auto_queue=is_queued)
            submission = await kind.submit(caller.engine, caller.actor, text, options)
        except InvalidInput as refused:
            problem = str(refused)
            return await show_lines(
                request, caller, console, kind, text=text, problem=problem, is_queued=is_queued, status=422
            )
        if not submission.lines:
            problem = f"There is no line yet. Write one {kind.noun} per line."
            return await show_lines(request, caller, console, kind, problem=problem, status=422)
        return await show_lines(request, caller, console, kind, submission=submission, is_queued=is_queued)

    return submit


for _kind in LINE_KINDS.values():
    router.add_api_route(_kind.path, _form_route(_kind), methods=["GET"])
    router.add_api_route(_kind.path, _submit_route(_kind), methods=["POST"])


async def show_lines(
    request: Request,
    caller: Caller,
    console: Console,
    kind: LineKind,
    *,
    text: str = "",
    problem: str = "",
    is_queued: bool = True,
    status: int = 200,
    submission: Submission | None = None,
    **values: Any,
) -> Response:
    """The form; after it was sent, with the results above it and the refused lines to correct in it."""
    result = None if submission is None else describe_submission(submission)
    if result is not None and submission is not None:
        text = "\n".join(line.value for line in submission.lines if line.status in REFUSED)
        status = status if result["ids"] else 422
    return await console.page(
        request,
        caller,
        "add_lines.html",
        status=status,
        kind=kind,
        text=text,
        problem=problem,
        is_queued=is_queued,
        result=result,
        offers_demo=kind is DOMAINS and result is None and await offers_demo(caller, console),
        **{"site": request.query_params.get("site", "")[:253], "scan_problem": "", **values},
    )


def describe_submission(submission: Submission) -> dict[str, Any]:
    """What became of the lines: numbers, the lines to draw with refused ones first, and ids to follow."""
    refused = [line for line in submission.lines if line.status in REFUSED]
    accepted = [line for line in submission.lines if line.status not in REFUSED]
    drawn: list[LineResult] = sorted([*refused, *accepted][:MAX_DRAWN], key=lambda line: line.number)
    return {
        "counts": submission.counts,
        "refused": len(refused),
        "lines": drawn,
        "total": len(submission.lines),
        "ids": submission.ids,
        "followed": [str(row_id) for row_id in submission.ids[:MAX_FOLLOWED]],
    }
