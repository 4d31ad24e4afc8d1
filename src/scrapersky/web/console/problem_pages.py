"""Problems as people see them: a page, or a message beside the page that htmx keeps."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import FastAPI, Request, Response
from fastapi.responses import RedirectResponse

from scrapersky.api.context import PREFIX
from scrapersky.api.problems import Problem
from scrapersky.web.console.console import Console, is_htmx

LOGIN = "/login"
MACHINES = (PREFIX, "/health", "/metrics", "/static")


def add_problem_pages(web: FastAPI) -> None:
    web.state.problem_page = problem_page


def problem_page(request: Request, problem: Problem) -> Response | None:
    """The problem for a browser; None where the answer is for a program."""
    if request.scope["path"].startswith(MACHINES):
        return None
    if "text/html" not in request.headers.get("accept", "") and not is_htmx(request):
        return None
    if problem.status == 401:
        address = f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
        back = address if request.method == "GET" else "/"
        url = f"{LOGIN}?next={quote(back, safe='/')}"
        if is_htmx(request):
            return Response(status_code=204, headers={"HX-Redirect": url})
        return RedirectResponse(url, status_code=303)
    console: Console = request.app.state.console
    values = {"problem": problem.body, "instance": getattr(request.state, "correlation_id", "")}
    if is_htmx(request):
        response = console.fragment(request, None, "_problem.html", status=problem.status, **values)
        response.headers["HX-Retarget"], response.headers["HX-Reswap"] = "#toasts", "beforeend"
    else:
        response = console.fragment(request, None, "problem.html", status=problem.status, **values)
    response.headers.update(problem.headers)
    return response
