"""The demo world: invented businesses and their sites, made from a seed, and the truth about them."""

from collections.abc import Mapping
from functools import lru_cache

from scrapersky_demo.businesses.business import Business, businesses
from scrapersky_demo.businesses.listings import places_csv
from scrapersky_demo.sites.plan import FATES, Plan, plan_site
from scrapersky_demo.sites.response import Response
from scrapersky_demo.sites.site import Site
from scrapersky_demo.sites.traps import agency, hoster
from scrapersky_demo.truth import BusinessTruth, Truth, domain_truth

_SITES_KEPT = 512
_BUSINESSES_PER_AGENCY = 60


class World:
    """An internet of `size` businesses; the same seed, size and settings give the same bytes."""

    def __init__(
        self,
        seed: int = 1,
        size: int = 200,
        *,
        fates: Mapping[str, int] | None = None,
        huge_urls: int = 3_000,
    ) -> None:
        self.seed, self.size = seed, size
        self.businesses: tuple[Business, ...] = tuple(businesses(seed, size))
        self._fates = dict(fates or FATES)
        self._huge_urls = huge_urls
        self._agencies = max(1, size // _BUSINESSES_PER_AGENCY)
        self._owners: dict[str, tuple[Business, ...]] = {}
        for business in self.businesses:
            if business.host:
                self._owners[business.host] = (*self._owners.get(business.host, ()), business)
        self._serials = {host: serial for serial, host in enumerate(self._owners)}
        self._kept = lru_cache(maxsize=_SITES_KEPT)(self._make_site)

    def domains(self) -> list[str]:
        """The hosts of all websites as listed, without www, each once."""
        return list(self._owners)

    def plan(self, domain: str) -> Plan:
        return plan_site(
            self.seed,
            self._serials[domain],
            domain,
            self._owners[domain],
            fates=self._fates,
            agencies=self._agencies,
            huge_urls=self._huge_urls,
        )

    def site(self, domain: str) -> Site:
        return self._kept(domain)

    def _make_site(self, domain: str) -> Site:
        return Site(self.plan(domain))

    def domain_of(self, host: str) -> str | None:
        """The listed domain behind a host name as requested, or None for an unknown host."""
        name = host.lower().partition(":")[0].rstrip(".")
        if name in self._owners:
            return name
        for prefix in ("www.", "new-"):
            rest = name.removeprefix(prefix)
            if (
                rest != name
                and rest in self._owners
                and (prefix == "www." or self.site(rest).plan.fate == "moved")
            ):
                return rest
        return None

    def answer(self, host: str, target: str) -> Response:
        """What the world says to a GET of this target; a host that is not in it does not answer."""
        domain = self.domain_of(host)
        if domain is None:
            return Response(0, mode="abort")
        path, _, query = target.partition("?")
        return self.site(domain).answer(host.lower().partition(":")[0].rstrip("."), path, query)

    def places(self, kind: str = "", city: str = "") -> tuple[Business, ...]:
        """Businesses of a kind (key or local word) in a city; an empty word means any."""
        label, where = kind.casefold(), city.casefold()
        return tuple(
            business
            for business in self.businesses
            if (not label or label in (business.kind, business.label.casefold()))
            and (not where or where == business.city.name.casefold())
        )

    def places_csv(self, *, layout: int = 0) -> str:
        return places_csv(self.businesses, layout=layout)

    def boilerplate(self) -> set[str]:
        """Addresses and numbers of agencies and hosters that stand on many sites and belong to none."""
        firms = [agency(self.seed, serial) for serial in range(self._agencies)] + [hoster(self.seed)]
        return {value for firm in firms for value in (firm.email, firm.e164)}

    def truth(self) -> Truth:
        return Truth(
            domains={domain: domain_truth(Site(self.plan(domain))) for domain in self._owners},
            businesses={
                business.id: BusinessTruth(
                    business.id, business.name, business.host, bool(business.website and not business.host)
                )
                for business in self.businesses
            },
        )
