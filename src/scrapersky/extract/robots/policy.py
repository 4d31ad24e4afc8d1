"""What a robots.txt allows: the verdicts of Protego, in bounded time, each with the rule that decided."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import NamedTuple

import can_ada
from protego import Protego

from scrapersky.extract.robots.protego_rules import normalize_path, rules_for
from scrapersky.extract.robots.rule_index import RuleIndex
from scrapersky.extract.urls import read_url

MAX_BYTES = 500 * 1024  # RFC 9309: at least 500 KiB must be read.
MAX_DELAY = 30.0
MAX_SITEMAPS = 500
_MAX_AGENTS = 8  # The product asks for one agent only.
_MAX_REASON = 200

_SITEMAP = re.compile(
    r"^[ \t]*+site[ \t_-]?maps?(?:[ \t_-]?(?:index|url|file))?[ \t]*+:[ \t]*+(\S++)", re.I | re.M
)
_AGENT = re.compile(r"^[ \t]*+user[ \t_-]?agents?(?:[ \t]*+:|[ \t])[ \t]*+([^#\n]*+)", re.I)
# Files list several names on a line, or the whole User-Agent header with its versions and comments.
_BETWEEN_NAMES = re.compile(r"[\s,;|()]+")
_ROBOT_SUFFIX = re.compile(r"[._-]?(?:ro)?(?:bot|crawler|spider)s?\Z")
_DIRECTIVE = re.compile(
    r"^[ \t]*+(?:user[ \t-]?agent|(?:dis)?allow|site-?map|crawl-delay)[ \t]*+:", re.I | re.M
)
_NOBODY = "nobody-we-know"


class RobotsDecision(NamedTuple):
    """Whether a URL may be fetched, why, and the pause to keep between requests (None when none is named)."""

    is_allowed: bool
    reason: str
    delay: float | None = None


@dataclass(frozen=True, slots=True)
class _AgentRules:
    """What a robots.txt says to one agent; `index` is None when no group applies to it."""

    index: RuleIndex | None
    delay: float | None


class Robots:
    """One robots.txt; ask it as often as needed."""

    def __init__(self, text: str, *, sitemaps: tuple[str, ...] = (), problems: tuple[str, ...] = ()) -> None:
        self.text = text
        self.sitemaps = sitemaps
        self.problems = problems
        self._rules: dict[str, _AgentRules] = {}

    def decide(self, url: str, agent: str) -> RobotsDecision:
        """The verdict for one URL; a URL that cannot be fetched is not allowed."""
        try:
            target = can_ada.parse(url)
        except (ValueError, TypeError):
            return RobotsDecision(False, "not a URL")
        target.hash = ""
        rules = self._rules_for(product_token(agent))
        if rules.index is None:
            problem = "" if self.text else f" ({self.problems[0] if self.problems else 'empty file'})"
            return RobotsDecision(True, f"no rules{problem}", rules.delay)
        # The file itself may always be fetched.
        is_file = target.pathname == "/robots.txt"
        rule = None if is_file else rules.index.find_deciding(normalize_path(target.href))
        if rule is None:
            return RobotsDecision(True, "no rule matches", rules.delay)
        reason = f"{rule.field.capitalize()}: {rule.pattern[:_MAX_REASON]}"
        return RobotsDecision(rule.field == "allow", reason, rules.delay)

    def delay(self, agent: str) -> float | None:
        """Seconds between requests that the file asks of this agent, clamped to 0..30, or None."""
        return self._rules_for(product_token(agent)).delay

    def _rules_for(self, token: str) -> _AgentRules:
        if token not in self._rules:
            if len(self._rules) >= _MAX_AGENTS:
                self._rules.clear()
            parsed = Protego.parse(_for_one_agent(self.text, token))
            rules = rules_for(parsed, token)
            index = None if rules is None else RuleIndex(rules)
            self._rules[token] = _AgentRules(index, _delay(parsed, token))
        return self._rules[token]


def _delay(parsed: Protego, token: str) -> float | None:
    delays = [parsed.crawl_delay(token)]
    if rate := parsed.request_rate(token):
        delays.append(rate.seconds / rate.requests)
    known = [seconds for seconds in delays if seconds is not None]
    return min(MAX_DELAY, max(0.0, *known)) if known else None


def read_robots(body: bytes, *, url: str = "") -> Robots:
    """Read a robots.txt as it came; never raises. `url` is its own address, for relative Sitemap lines."""
    problems: list[str] = []
    if len(body) > MAX_BYTES:
        problems.append(f"only the first {MAX_BYTES:,} bytes were read")
        body = body[:MAX_BYTES]
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]
    text = "\n".join(_decoded(body).replace("\x00", "").splitlines())
    if text.lstrip()[:1] == "<" and not _DIRECTIVE.search(text):
        return Robots("", problems=("an HTML page instead of rules", *problems))
    return Robots(text, sitemaps=_sitemaps(text, url), problems=tuple(problems))


def _decoded(body: bytes) -> str:
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return body.decode("utf-16", "replace")
    return body.decode("utf-8-sig", "replace")


def _sitemaps(text: str, base: str) -> tuple[str, ...]:
    urls: dict[str, None] = {}
    for match in _SITEMAP.finditer(text):
        if location := read_url(match[1], base=base).url:
            urls[location] = None
        if len(urls) >= MAX_SITEMAPS:
            break
    return tuple(urls)


def product_token(agent: str) -> str:
    """The name by which robots.txt files know an agent: `ScraperSky` of `ScraperSky/1.0 (+https://…)`."""
    compatible = re.search(r"\(compatible;\s*+([\w.\-]++)", agent)
    plain = re.match(r"\s*+([\w.\-]++)", agent)
    token = compatible or plain
    return token[1].lower() if token else agent.strip().lower()[:100]


def _for_one_agent(text: str, token: str) -> str:
    """The same rules; every group that cannot concern this agent gets the same unknown name.

    Protego copies each rule into every agent of its group, so thousands of agents in front of thousands of
    rules would take minutes and gigabytes.
    """
    return "\n".join(_agent_line(line, token) for line in text.split("\n"))


def _agent_line(line: str, token: str) -> str:
    match = _AGENT.match(line)
    if not match:
        return line
    names = [name for name in map(_product_name, _BETWEEN_NAMES.split(match[1].lower())) if name]
    ours = ["*"] if "*" in names else []
    if any(_is_same_product(name, token) for name in names):
        ours.append(token)
    elif len(names) == 1 and names[0] in token:
        ours.append(names[0])
    return "\n".join(f"User-agent: {name}" for name in ours or [_NOBODY])


def _product_name(word: str) -> str:
    """A name of a user-agent line without version, quotes and wildcards; a lone `*` stays."""
    plain = word.strip("\"'.:<>[]")
    return plain if plain == "*" else plain.partition("/")[0].replace("*", "")


def _is_same_product(name: str, token: str) -> bool:
    """Whether an owner means us: our product token, with or without "bot" behind it."""
    return name == token or _ROBOT_SUFFIX.sub("", name) == (_ROBOT_SUFFIX.sub("", token) or token)
