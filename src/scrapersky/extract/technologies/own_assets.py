"""Which URLs on a page belong to the site, for evidence that counts only there."""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from scrapersky.extract.html import Document
from scrapersky.extract.results import Hints
from scrapersky.extract.socials.networks import find_network, profile_host
from scrapersky.extract.urls.hosts import registrable_domain, unicode_host

_SCHEMES = ("http://", "https://", "//")


class OwnAssets:
    """The site's own domains, as far as the hints and the page show; computed on first use."""

    def __init__(self, doc: Document, hints: Hints) -> None:
        self._doc = doc
        self._known = (hints.site_domain, hints.url, doc.url, doc.metas.get("og:url"))

    @cached_property
    def domains(self) -> frozenset[str]:
        hosts = {profile_host(text) for text in self._known if text} or _likely_hosts(self._doc)
        return frozenset(_domain(host) for host in hosts if host)

    def owns(self, url: str) -> bool:
        """Whether an address belongs to the site: a relative one always does."""
        if not url.lower().startswith(_SCHEMES):
            return ":" not in url[:12]
        if self._has(profile_host(url)):
            return True
        # Image proxies carry the site's host at the beginning of their path: i0.wp.com/acme.com/logo.png.
        path = url.partition("//")[2].partition("/")[2]
        return "." in path[:80] and self._has(profile_host(path))

    def _has(self, host: str) -> bool:
        return _domain(host) in self.domains or any(host.endswith(f".{domain}") for domain in self.domains)


def _domain(host: str) -> str:
    name = unicode_host(host)
    return registrable_domain(name) or name


def _likely_hosts(doc: Document) -> set[str]:
    """Without any hint: the canonical host, or the host most links lead to."""
    canonical = next((relation.href for relation in doc.head.relations if relation.rel == "canonical"), "")
    if canonical and (host := profile_host(canonical)):
        return {host}
    hosts = Counter(
        profile_host(link.href) for link in doc.links[:500] if link.href.startswith(("http", "//"))
    )
    return {host for host, count in hosts.most_common(3) if count > 2 and find_network(host) is None}
