"""The scan of the links of a page loses none that leads to a social network."""

import pytest

from scrapersky.extract.html import parse_document
from scrapersky.extract.socials.extractor import PROFILE_LINKS
from scrapersky.extract.socials.networks import NETWORKS

HOSTS = sorted({host for network in NETWORKS for host in network.hosts})


@pytest.mark.parametrize("host", HOSTS)
def test_a_link_to_any_network_is_kept(host):
    wanted = [f"https://www.{host}/firma", f"//{host.upper()}/firma", "https://x.social/@firma"]
    body = "".join(f'<a href="{address}">x</a>' for address in ("/home", *wanted, "#top"))
    assert [link.raw for link in parse_document(body).scan(PROFILE_LINKS)] == wanted
