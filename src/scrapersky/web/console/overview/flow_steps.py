"""The flow from places to contacts: its steps, the names of its losses, and the lists that show them."""

from __future__ import annotations

from urllib.parse import urlencode
from uuid import UUID

from scrapersky.queries.rows.overview import BUSINESSES, DOMAINS, PLACES, FlowFigures
from scrapersky.web.console.charts import Flow, Loss, Step, flow

LISTS = {PLACES.name: "/places", BUSINESSES.name: "/businesses", DOMAINS.name: "/domains"}
# What each outcome is called when a business stops there; those that are open may still move on.
NAMES = {
    "rejected": "rejected",
    "undecided": "to decide",
    "waiting": "waiting",
    "failed": "failed",
    "no_website": "no website",
    "same_website": "shares a website",
    "robots": "robots.txt says no",
    "no_pages": "no page found",
    "unread": "no page read",
    "no_contact": "no contact",
    "contact_rejected": "contact rejected",
    "phone_only": "phone only",
    "not_valid": "not confirmed",
    "unchecked": "not checked yet",
    "verified": "not delivered",
}
OPEN = {"undecided", "waiting", "unread", "unchecked", "verified"}
# The last outcomes of each step of a domain, and the step that comes after them.
DOMAIN_STEPS = (
    ("With website", "rejected", ("rejected", "undecided", "waiting", "failed", "robots")),
    ("Reachable", "no_pages", ("no_pages",)),
    ("Pages found", "unread", ("unread", "no_contact")),
    ("Contact found", "contact_rejected", ("contact_rejected", "phone_only", "not_valid", "unchecked")),
    ("Verified", "verified", ("verified",)),
    ("Delivered", "delivered", ()),
)
STOPS_AT = {"failed": "not reachable"}


def draw_flow(figures: FlowFigures, search_id: UUID | None = None) -> Flow:
    return flow(flow_steps(figures, search_id))


def flow_steps(figures: FlowFigures, search_id: UUID | None = None) -> list[Step]:
    """Businesses, not rows: a domain that was added directly is a business without a place."""
    places, businesses = figures.total(PLACES), figures.total(BUSINESSES)
    added = figures.without_place + figures.without_business
    steps = []
    if places:
        joining = Loss("added directly", added) if added else None
        href = f"/places?search_id={search_id}" if search_id else "/places"
        steps.append(Step("Places", places, href, _place_losses(figures, search_id), joining))
    names = ("no_website", "rejected", "undecided", "waiting", "failed", "same_website")
    losses = tuple(_loss(figures, BUSINESSES.name, name) for name in names)
    steps.append(Step("Businesses", businesses + figures.without_business, "/businesses", losses))
    return [*steps, *_domain_steps(figures)]


def _place_losses(figures: FlowFigures, search_id: UUID | None) -> tuple[Loss, ...]:
    more = {"search_id": str(search_id)} if search_id else {}
    names = ("rejected", "undecided", "waiting", "failed")
    losses = [_loss(figures, PLACES.name, name, **more) for name in names]
    # Two places may turn out to be one business.
    from_places = figures.total(BUSINESSES) - figures.without_place
    merged = figures.number(PLACES, "business") - from_places
    return (*losses, Loss("same business", max(merged, 0)))


def _domain_steps(figures: FlowFigures) -> list[Step]:
    steps = []
    for name, first, stops in DOMAIN_STEPS:
        number = figures.reached(DOMAINS, first)
        is_last = name == "Verified" and not figures.number(DOMAINS, "delivered")
        losses = () if is_last else tuple(_loss(figures, DOMAINS.name, stop) for stop in stops)
        outcomes = [("outcome", each) for each in _outcomes_from(first)]
        steps.append(Step(name, number, f"/domains?{urlencode(outcomes)}", losses))
        if is_last:
            break
    return steps


def _outcomes_from(first: str) -> list[str]:
    firsts = [start for _, start, _ in DOMAIN_STEPS]
    rest = DOMAIN_STEPS[firsts.index(first) :]
    return [*(stop for _, _, stops in rest for stop in stops), "delivered"]


def _loss(figures: FlowFigures, table: str, outcome: str, **more: str) -> Loss:
    number = figures.outcomes[table].get(outcome, 0)
    name = STOPS_AT.get(outcome, NAMES[outcome]) if table == DOMAINS.name else NAMES[outcome]
    href = f"{LISTS[table]}?{urlencode({'outcome': outcome, **more})}"
    return Loss(name, number, href, outcome in OPEN)
