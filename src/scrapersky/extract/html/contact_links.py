"""Which links of a page can lead to somebody: found by one pass over the addresses of all of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import ahocorasick_rs

from scrapersky.extract.html.links import Link
from scrapersky.extract.socials.networks import NETWORKS

# In lower case; an address without any of these is neither a mail address, a number nor a profile.
_OF_MAILS = ("@", "mailto:", "email-protection#", "javascript:", "znvygb:")
_OF_NUMBERS = (
    "tel:", "callto:", "sms:", "fax:", "phone:", "skype:", "mobile:", "viber:", "whatsapp", "wa.me",
    " :", "\t:", "\n:", "\xa0:",
)  # fmt: skip
_OF_PROFILES = ("www.google.com", *(host for network in NETWORKS for host in network.hosts))
_SEARCH = ahocorasick_rs.AhoCorasick(
    list(dict.fromkeys((*_OF_MAILS, *_OF_NUMBERS, *_OF_PROFILES))),
    matchkind=ahocorasick_rs.MatchKind.LeftmostFirst,
)


def signed_links(links: Sequence[Link]) -> list[Link]:
    """The links with a sign of somebody in their address, in order; all when letters change their number."""
    addresses = [link.raw for link in links]
    joined = "\n".join(addresses)
    low = joined.lower()
    if len(low) != len(joined):
        return list(links)
    ends = list(accumulate([len(address) + 1 for address in addresses]))
    found = _SEARCH.find_matches_as_indexes(low)
    return [links[number] for number in dict.fromkeys([bisect_right(ends, start) for _, start, _ in found])]
