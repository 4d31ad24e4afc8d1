"""Who sends a request, and what the role allows: `Viewer` reads, `Operator` changes, `Admin` configures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Annotated, TypeVar
from uuid import UUID

from fastapi import Depends, Request
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.actions.accounts.api_keys import ROLES, SCOPES
from scrapersky.actions.accounts.authentication import KnownUser, find_by_api_key, find_by_session
from scrapersky.actions.actor import Actor
from scrapersky.api.context import PREFIX, ApiContext
from scrapersky.api.idempotency import claim_request
from scrapersky.api.open_loopback import is_open
from scrapersky.api.problems import CHALLENGE, Problem
from scrapersky.api.session_cookie import read_session
from scrapersky.database import tenant_engine
from scrapersky.engine.database import is_transient
from scrapersky.queries.installation.tenants import TenantQuery
from scrapersky.tables.seed import DEMO_TENANT_ID, local_user_id

Endpoint = TypeVar("Endpoint", bound=Callable[..., object])
MAX_KEY = 100
LOCAL_NAME = "local"
# Set by the console while somebody looks at the demo world; accounts and settings stay those of the caller.
DEMO_COOKIE = "demo"
OUTSIDE_DEMO = (
    "/settings",
    *(f"{PREFIX}/{name}" for name in ("users", "api-keys", "session", "settings", "tenants")),
)
# What a key with the scope `curate` may decide about and edit; submitting and deleting need `operate`.
CURATED = frozenset(
    {
        *("places", "local-businesses", "domains", "sitemap-files", "pages", "contacts"),
        *("operations", "views", "rules"),
    }
)
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
# A POST that only counts: its filters would be too long for an address.
READING_POSTS = frozenset({f"{PREFIX}/rules/preview"})
HINT = (
    f"Log in with POST {PREFIX}/session, or send an API key in the header Authorization: Bearer ssky_…;"
    " `scrapersky key add` makes one."
)
SUBMISSIONS = frozenset({"direct-submit", "import-csv"})
PRESETS = frozenset({"views", "rules"})
_PUBLIC: set[Callable[..., object]] = set()


@dataclass(frozen=True, slots=True)
class Caller:
    """The account behind a request; `engine` sees the rows of its tenant only."""

    actor: Actor
    role: str
    engine: AsyncEngine
    email: str = LOCAL_NAME
    session_id: UUID | None = None
    key_id: UUID | None = None
    scopes: tuple[str, ...] = ()

    @property
    def is_local(self) -> bool:
        """Whether this is the built-in user of an installation without accounts."""
        return self.session_id is None and self.key_id is None

    @property
    def is_admin(self) -> bool:
        return self.role == ROLES[-1]

    @property
    def is_in_demo(self) -> bool:
        """Whether this person looks at the demo world."""
        return self.actor.tenant_id == DEMO_TENANT_ID


def public(endpoint: Endpoint) -> Endpoint:
    """Mark a route that anybody may call; all others need a known caller."""
    _PUBLIC.add(endpoint)
    return endpoint


def is_public(endpoint: object) -> bool:
    return endpoint in _PUBLIC


async def require_caller(request: Request) -> None:
    """Refuse unknown callers on every route that is not public, whatever else it depends on."""
    if not is_public(getattr(request.scope.get("route"), "endpoint", None)):
        await authenticate(request)


async def authenticate(request: Request) -> Caller:
    """The caller of the request: by key, by session, or as `local` on open loopback."""
    caller: Caller | None = getattr(request.state, "caller", None)
    if caller is None:
        caller = await _in_demo(request, await _identify(request))
        request.state.caller, request.state.user = caller, caller.actor.name
    return caller


async def _identify(request: Request) -> Caller:
    context: ApiContext = request.app.state.api
    # Who sends a key means it: nothing else is tried when it is wrong.
    if sent := request.headers.getlist("authorization"):
        identity = await find_by_api_key(context.engine, _bearer(sent))
        if identity is None:
            raise unauthorized("The API key is wrong, expired or revoked.")
        return _known(request, context, identity)
    if token := read_session(request):
        idle = timedelta(hours=context.settings.session_idle_hours)
        if identity := await find_by_session(context.engine, token, idle):
            return _known(request, context, identity)
    if await is_open(request, context):
        return _local(request, context)
    raise unauthorized("Nobody is logged in." if not token else "The session has ended.")


async def _in_demo(request: Request, caller: Caller) -> Caller:
    """The same person in the demo world, if the cookie asks for that.

    Only who manages this installation in a browser may look at it; for everybody else the cookie is nothing.
    """
    context: ApiContext = request.app.state.api
    is_manager = caller.is_admin and caller.actor.tenant_id == context.settings.default_tenant_id
    if request.cookies.get(DEMO_COOKIE) != "1" or caller.key_id or not is_manager:
        return caller
    if request.url.path.startswith(OUTSIDE_DEMO):
        return caller
    if not (await TenantQuery(context.engine).state(DEMO_TENANT_ID)).is_active:
        return caller
    actor = replace(caller.actor, tenant_id=DEMO_TENANT_ID, user_id=local_user_id(DEMO_TENANT_ID))
    return replace(caller, actor=actor, engine=_engine(request, context, DEMO_TENANT_ID))


def unauthorized(reason: str) -> Problem:
    problem = Problem(401, "Unauthorized", f"{reason} {HINT}")
    return problem.with_headers(WWW_Authenticate=CHALLENGE)


def _bearer(sent: list[str]) -> str:
    if len(sent) > 1:
        raise unauthorized("The header Authorization is repeated.")
    scheme, _, key = sent[0].partition(" ")
    if scheme.lower() != "bearer" or len(key) > MAX_KEY:
        raise unauthorized("The header Authorization must begin with Bearer.")
    return key.strip()


def _known(request: Request, context: ApiContext, identity: KnownUser) -> Caller:
    role = identity.role
    if identity.key_id is not None:
        granted = max(ROLES.index(SCOPES[scope]) for scope in identity.scopes)
        role = ROLES[min(granted, ROLES.index(role))]
    return Caller(
        Actor(identity.tenant_id, identity.user_id, identity.email, request.state.correlation_id),
        role,
        _engine(request, context, identity.tenant_id),
        email=identity.email,
        session_id=identity.session_id,
        key_id=identity.key_id,
        scopes=identity.scopes,
    )


def _local(request: Request, context: ApiContext) -> Caller:
    tenant_id = context.settings.default_tenant_id
    actor = Actor(tenant_id, local_user_id(tenant_id), LOCAL_NAME, request.state.correlation_id)
    return Caller(actor, ROLES[-1], _engine(request, context, tenant_id))


def _engine(request: Request, context: ApiContext, tenant_id: UUID) -> AsyncEngine:
    return tenant_engine(context.engine, tenant_id, correlation_id=request.state.correlation_id)


async def find_caller(request: Request) -> Caller | None:
    """The caller, if it is somebody whom we know; a web application without API knows nobody."""
    if not hasattr(request.app.state, "api"):
        return None
    try:
        return await authenticate(request)
    except Problem:
        return None
    except Exception as error:
        if not is_transient(error):
            raise
        return None


@dataclass(frozen=True, slots=True)
class RoleCheck:
    """Lets callers with this role pass; the check of a route can be read from its dependencies."""

    role: str

    async def __call__(self, request: Request, caller: Annotated[Caller, Depends(authenticate)]) -> Caller:
        if ROLES.index(caller.role) < ROLES.index(self.role):
            has = f"yours is {caller.role}"
            if caller.key_id:
                has = f"with the scope {', '.join(caller.scopes)} this key has the role {caller.role}"
            raise Problem(403, "Forbidden", f"This needs the role {self.role}; {has}.")
        if caller.key_id and self._is_change(request) and not _may_change(request, caller.scopes):
            raise Problem(403, "Forbidden", f"This needs a key with the scope {_needed_scope(request)}.")
        return replace(caller, engine=await claim_request(request, caller.actor, caller.engine))

    def _is_change(self, request: Request) -> bool:
        """Whether the route changes something; viewers change views, and keys and sessions of their own."""
        is_read = request.method in SAFE_METHODS or request.url.path in READING_POSTS
        return self.role == "operator" or not is_read


def _may_change(request: Request, scopes: tuple[str, ...]) -> bool:
    return bool({_needed_scope(request), "operate", "admin"} & set(scopes))


def _needed_scope(request: Request) -> str:
    resource, *rest = request.url.path.removeprefix(f"{PREFIX}/").split("/")
    is_deletion = request.method == "DELETE" or rest == ["delete"]
    is_submission = bool(SUBMISSIONS & set(rest))
    is_curation = resource in PRESETS or not (is_deletion or is_submission)
    return "curate" if resource in CURATED and is_curation else "operate"


Viewer = Annotated[Caller, Depends(RoleCheck("viewer"))]
Operator = Annotated[Caller, Depends(RoleCheck("operator"))]
Admin = Annotated[Caller, Depends(RoleCheck("admin"))]


def get_context(request: Request) -> ApiContext:
    context: ApiContext = request.app.state.api
    return context


Context = Annotated[ApiContext, Depends(get_context)]
