"""The kinds of problems that the API answers with; `/docs/problems` lists them."""

from __future__ import annotations

from dataclasses import dataclass

DOCS_PATH = "/docs/problems"


@dataclass(frozen=True, slots=True)
class ProblemType:
    """A title, the status that it usually comes with, and what to do about it."""

    status: int
    title: str
    meaning: str

    @property
    def slug(self) -> str:
        return self.title.lower().replace(" ", "-")

    @property
    def address(self) -> str:
        return f"{DOCS_PATH}#{self.slug}"


PROBLEM_TYPES = (
    ProblemType(400, "Malformed request", "The request is not valid HTTP or its body is not valid JSON."),
    ProblemType(401, "Unauthorized", "Log in, or send an API key that is valid."),
    ProblemType(403, "Forbidden", "The account has no right to do this."),
    ProblemType(404, "Not found", "There is nothing at this address, or it belongs to another tenant."),
    ProblemType(405, "Method not allowed", "The address exists; the header Allow names its methods."),
    ProblemType(408, "Request timeout", "The body took too long to arrive."),
    ProblemType(409, "Conflict", "The present state does not allow this; read it again and decide."),
    ProblemType(409, "Request still running", "A request with this idempotency key has no answer yet; wait."),
    ProblemType(409, "Answer lost", "The request with this key took effect, but its answer was lost."),
    ProblemType(412, "Precondition failed", "The row has changed since it was read; read it again."),
    ProblemType(413, "Too large", "The body exceeds the limit."),
    ProblemType(415, "Unsupported media type", "Send JSON or, where a route says so, a file."),
    ProblemType(421, "Unknown host", "The server does not know itself by this host name."),
    ProblemType(422, "Invalid input", "`errors` names each wrong value by JSON pointer or parameter."),
    ProblemType(422, "Idempotency key reused", "The key belongs to another request; make a new key."),
    ProblemType(429, "Too many requests", "Wait as many seconds as the header Retry-After says."),
    ProblemType(431, "Headers too large", "Send fewer cookies and shorter headers."),
    ProblemType(500, "Internal error", "A fault of ours; the log has the details under `instance`."),
    ProblemType(503, "Unavailable", "The database is unavailable; try again after Retry-After seconds."),
    ProblemType(503, "Timeout", "The database took too long; try again or narrow the filter."),
)
_BY_TITLE = {known.title: known for known in PROBLEM_TYPES}
_BY_STATUS = {known.status: known for known in reversed(PROBLEM_TYPES)}


def type_of(title: str) -> str:
    """The address of the explanation."""
    known = _BY_TITLE.get(title)
    return known.address if known else "about:blank"


def type_of_status(status: int) -> ProblemType:
    """The usual problem of a status; other statuses of a client's fault count as a malformed request."""
    return _BY_STATUS.get(status) or _BY_STATUS[400 if status < 500 else 500]
