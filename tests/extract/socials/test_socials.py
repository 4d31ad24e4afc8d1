"""Profiles of the organisation: which addresses are one, whose they are, and how they are written."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapersky.extract.html import parse_document
from scrapersky.extract.results import Hints, Social
from scrapersky.extract.socials import find_socials
from scrapersky.extract.socials.networks import NETWORKS
from scrapersky.extract.socials.profiles import read_profile

HINTS = Hints(country="DE", site_domain="acme-bakery.de")


def socials(html: str, hints: Hints = HINTS) -> tuple[Social, ...]:
    return find_socials(parse_document(html), hints)


def urls(html: str, hints: Hints = HINTS) -> list[str]:
    return [social.url for social in socials(html, hints)]


@pytest.mark.parametrize(
    ("address", "canonical", "handle"),
    [
        ("https://www.facebook.com/AcmeBakery/", "https://www.facebook.com/AcmeBakery", "AcmeBakery"),
        ("http://de-de.facebook.com/acme?ref=ts", "https://www.facebook.com/acme", "acme"),
        ("m.facebook.com/acme/about", "https://www.facebook.com/acme", "acme"),
        ("https://fb.com/acme", "https://www.facebook.com/acme", "acme"),
        ("https://facebook.com/#!/acme", "https://www.facebook.com/acme", "acme"),
        ("https://www.facebook.com/pg/acme/posts/", "https://www.facebook.com/acme", "acme"),
        (
            "https://web.facebook.com/profile.php?id=100012&sk=x",
            "https://www.facebook.com/profile.php?id=100012",
            "100012",
        ),
        (
            "https://www.facebook.com/p/Caf%C3%A9-Acme-1000/",
            "https://www.facebook.com/p/Caf%C3%A9-Acme-1000",
            "Café-Acme-1000",
        ),
        (
            "https://www.facebook.com/pages/Acme/123/",
            "https://www.facebook.com/pages/Acme/123",
            "Acme/123",
        ),
        (
            "https://l.facebook.com/l.php?u=https%3A%2F%2Fwww.instagram.com%2Facme%2F&h=AT",
            "https://www.instagram.com/acme",
            "acme",
        ),
        (
            "https://www.facebook.com/share/1AbCdE/?mibextid=x",
            "https://www.facebook.com/share/1AbCdE",
            "1AbCdE",
        ),
        ("https://instagram.com/@acme", "https://www.instagram.com/acme", "acme"),
        ("https://instagram.com/acme.shop?igsh=a==", "https://www.instagram.com/acme.shop", "acme.shop"),
        ("https://uk.linkedin.com/company/acme/about/", "https://www.linkedin.com/company/acme", "acme"),
        ("https://www.linkedin.com/in/jo-doe-1/", "https://www.linkedin.com/in/jo-doe-1", "jo-doe-1"),
        ("https://www.linkedin.com/school/acme", "https://www.linkedin.com/school/acme", "acme"),
        (
            "https://www.linkedin.com/pub/jo-doe/1/2/3",
            "https://www.linkedin.com/pub/jo-doe/1/2/3",
            "jo-doe/1/2/3",
        ),
        ("https://twitter.com/acme", "https://x.com/acme", "acme"),
        ("https://mobile.twitter.com/acme/media", "https://x.com/acme", "acme"),
        ("https://www.youtube.com/@acme/videos", "https://www.youtube.com/@acme", "acme"),
        ("https://youtube.com/channel/UC123abc", "https://www.youtube.com/channel/UC123abc", "UC123abc"),
        ("https://www.youtube.com/user/acme", "https://www.youtube.com/user/acme", "acme"),
        ("https://www.youtube.com/c/Acme/featured", "https://www.youtube.com/c/Acme", "Acme"),
        ("https://www.tiktok.com/@acme?lang=de", "https://www.tiktok.com/@acme", "acme"),
        ("https://www.pinterest.de/acme/", "https://www.pinterest.de/acme", "acme"),
        ("https://www.threads.net/@acme", "https://www.threads.net/@acme", "acme"),
        ("https://bsky.app/profile/acme.de", "https://bsky.app/profile/acme.de", "acme.de"),
        ("https://mastodon.social/@acme", "https://mastodon.social/@acme", "acme"),
        ("https://t.me/s/acme_news", "https://t.me/acme_news", "acme_news"),
        ("https://www.xing.com/pages/acme", "https://www.xing.com/pages/acme", "acme"),
        ("https://vimeo.com/acme", "https://vimeo.com/acme", "acme"),
        ("https://github.com/acme", "https://github.com/acme", "acme"),
        (
            "https://www.yelp.co.uk/biz/acme-london?osq=x",
            "https://www.yelp.co.uk/biz/acme-london",
            "acme-london",
        ),
        ("https://g.page/acme/review", "https://g.page/acme", "acme"),
        ("https://maps.google.com/?cid=77&hl=de", "https://www.google.com/maps?cid=77", "77"),
        ("https://vk.com/acme", "https://vk.com/acme", "acme"),
        ("https://line.me/R/ti/p/@acme", "https://line.me/R/ti/p/@acme", "@acme"),
        ("https://lin.ee/abCD12", "https://lin.ee/abCD12", "abCD12"),
        ("https://acme.medium.com/", "https://acme.medium.com/", "acme"),
        ("https://medium.com/@acme", "https://medium.com/@acme", "acme"),
        ("https://soundcloud.com/acme/tracks", "https://soundcloud.com/acme", "acme"),
        ("https://open.spotify.com/intl-de/artist/4aB", "https://open.spotify.com/artist/4aB", "4aB"),
        ("https://linktr.ee/acme", "https://linktr.ee/acme", "acme"),
        ("https://www.houzz.de/pro/acme/__public", "https://www.houzz.de/pro/acme", "acme"),
    ],
)
def test_a_profile_has_one_canonical_address(address: str, canonical: str, handle: str) -> None:
    profile = read_profile(address)

    assert profile is not None
    assert (profile.url, profile.handle) == (canonical, handle)
    assert read_profile(canonical) == profile


NO_PROFILES = """
    https://www.facebook.com/ https://www.facebook.com/# https://www.facebook.com/sharer/sharer.php?u=x
    https://www.facebook.com/share.php?u=x https://www.facebook.com/dialog/feed?app_id=1
    https://www.facebook.com/plugins/like.php?href=x https://www.facebook.com/tr?id=1
    https://www.facebook.com/acme/posts/123 https://www.facebook.com/acme/photos/a.1/2
    https://www.facebook.com/photo.php?fbid=1 https://www.facebook.com/events/123
    https://www.facebook.com/policy.php https://www.facebook.com/hashtag/bread https://www.facebook.com/login.php
    https://www.facebook.com/watch/?v=1 https://developers.facebook.com/docs https://connect.facebook.net/sdk.js
    https://twitter.com/intent/tweet?text=x https://twitter.com/share https://twitter.com/acme/status/1
    https://x.com/hashtag/bread https://x.com/search?q=a https://x.com/home
    https://www.instagram.com/p/abc/ https://www.instagram.com/reel/abc https://www.instagram.com/explore/tags/x
    https://www.linkedin.com/shareArticle?mini=true https://www.linkedin.com/feed/ https://www.linkedin.com/jobs/1
    https://www.linkedin.com/company/acme/posts/1/2 https://www.youtube.com/watch?v=1 https://youtu.be/abc
    https://www.youtube.com/embed/abc https://www.youtube.com/playlist?list=1 https://www.youtube.com/shorts/abc
    https://www.pinterest.com/pin/create/button/?url=x https://www.pinterest.com/pin/123
    https://www.tiktok.com/@acme/video/1 https://www.tiktok.com/tag/x https://vimeo.com/59256790
    https://github.com/acme/site https://t.me/share/url?url=x https://t.me/+AbC https://t.me/joinchat/abc
    https://wa.me/4912345 https://www.reddit.com/submit?url=x https://www.tumblr.com/share?url=x
    https://www.google.com/maps/place/Acme https://www.xing.com/spi/shares/new?url=x https://vk.com/share.php?url=x
    https://medium.com/acme/a-post-1a2b https://example.com/facebook.com/acme javascript:void(0) mailto:a@b.de
    https://notfacebook.com/acme https://facebook.com.evil.example/acme
"""


@pytest.mark.parametrize("address", NO_PROFILES.split())
def test_shares_posts_logins_and_the_network_itself_are_no_profile(address: str) -> None:
    assert read_profile(address) is None


def test_every_network_knows_its_own_home() -> None:
    for network in NETWORKS:
        for host in network.hosts:
            for shape in network.shapes:
                path = shape.replace("**", "acme").replace("*", "acme")
                assert read_profile(f"https://{host}/{path}"), f"{host}/{path}"


@pytest.mark.req("R116")
def test_links_structured_data_and_metas_are_merged() -> None:
    """R116: the social addresses of a domain, each once, with all the evidence for it."""
    html = """<head><meta name="twitter:site" content="@acmebakery">
      <meta property="article:publisher" content="https://www.facebook.com/acmebakery">
      <script type="application/ld+json">{"@type":"Bakery","name":"Acme",
        "sameAs":["https://m.facebook.com/acmebakery/","https://www.instagram.com/acmebakery/?hl=de"]}</script></head>
      <body><footer><a href="//www.facebook.com/AcmeBakery?ref=x">Facebook</a></footer></body>"""

    found = {social.network: social for social in socials(html)}

    assert set(found) == {"facebook", "instagram", "x"}
    assert found["x"].url == "https://x.com/acmebakery"
    assert {seen.method for seen in found["facebook"].evidence} == {"link", "json-ld", "meta"}
    assert all(html[seen.start :].startswith(seen.quote) for s in found.values() for seen in s.evidence)
    assert found["facebook"].confidence > found["instagram"].confidence > 0.9


@pytest.mark.parametrize(
    "credit",
    [
        'Powered by <a href="https://www.facebook.com/webguy">WebGuy</a>',
        'Design: <a href="https://www.instagram.com/studio.x">Studio X</a>',
        '<span>Made with love by</span> <a href="https://x.com/webguy">@webguy</a>',
        'Webdesign by <b><a href="https://github.com/webguy">webguy</a></b>',
        'Realizzato da <a href="https://www.linkedin.com/in/webguy">Web Guy</a>',
        'Umsetzung: <a href="https://www.facebook.com/agentur">Agentur</a>',
        'Site créé par <a href="https://www.facebook.com/agence">Agence</a>',
        'Desarrollado por <a href="https://www.instagram.com/estudio">Estudio</a>',
    ],
)
def test_those_who_made_the_website_are_not_the_organisation(credit: str) -> None:
    html = f'<footer><p>© 2026 Acme. {credit}</p><a href="https://www.facebook.com/acmebakery">f</a></footer>'

    assert urls(html) == ["https://www.facebook.com/acmebakery"]


@pytest.mark.parametrize(
    "line",
    [
        'Website: acme.de Facebook: <a href="https://www.facebook.com/acmebakery">Acme</a>',
        'Acme Interior Design Facebook: <a href="https://www.facebook.com/acmebakery">Acme</a>',
        'Follow us <a href="https://www.facebook.com/acmebakery">Acme</a>',
    ],
)
def test_words_that_only_resemble_a_credit_do_not_hide_a_profile(line: str) -> None:
    assert urls(f"<p>{line}</p>") == ["https://www.facebook.com/acmebakery"]


@pytest.mark.parametrize(
    "handle", ["wordpress", "wix", "Squarespace", "joomla", "your-page", "username", "example"]
)
def test_accounts_of_makers_and_examples_are_left_out(handle: str) -> None:
    assert urls(f'<footer><a href="https://www.facebook.com/{handle}">f</a></footer>') == []


def test_a_maker_keeps_its_own_profile_on_its_own_site() -> None:
    html = '<footer><a href="https://www.facebook.com/wix">f</a></footer>'

    assert urls(html, Hints(site_domain="wix.com")) == ["https://www.facebook.com/wix"]


def test_a_profile_in_the_text_gives_way_to_the_one_in_the_footer() -> None:
    html = """<main><p>Our friend <a href="https://x.com/somebody">Somebody</a> wrote about
      <a href="https://x.com/acmebakery_de">our second shop</a>.</p></main>
      <footer><a href="https://x.com/acmebakery">X</a></footer>"""

    assert urls(html, Hints(site_domain="acmebakery.de")) == [
        "https://x.com/acmebakery_de",
        "https://x.com/acmebakery",
    ]


def test_a_crowd_of_personal_profiles_is_a_team_not_the_organisation() -> None:
    people = "".join(f'<li><a href="https://www.linkedin.com/in/person-{n}">in</a></li>' for n in range(6))

    assert urls(f"<main><ul>{people}</ul></main>") == []


def test_two_personal_profiles_are_a_team_and_one_is_the_owner() -> None:
    one = '<p><a href="https://www.linkedin.com/in/jo-doe">Jo</a></p>'
    two = one + '<p><a href="https://www.linkedin.com/in/mia-roe">Mia</a></p>'

    assert urls(f"<main>{one}</main>") == ["https://www.linkedin.com/in/jo-doe"]
    assert urls(f"<main>{two}</main>") == []


@pytest.mark.parametrize(
    "href",
    [
        "www.facebook.com/acmebakery",
        "facebook.com/acmebakery/",
        "http:/www.facebook.com/acmebakery",
        "../../www.facebook.com/acmebakery/index.html",
        " https://www.facebook.com/acmebakery ",
    ],
)
def test_a_link_with_a_slip_of_the_pen_still_counts(href: str) -> None:
    doc = parse_document(f'<a href="{href}">f</a>', url="https://acme-bakery.de/contact/")

    assert [social.url for social in find_socials(doc, HINTS)] == ["https://www.facebook.com/acmebakery"]


@pytest.mark.parametrize(
    "plugin",
    [
        '<div class="fb-page" data-href="https://www.facebook.com/acmebakery/"></div>',
        '<iframe src="https://www.facebook.com/plugins/page.php?href=https%3A%2F%2Fwww.facebook.com%2Facmebakery&w=1">',
    ],
)
def test_a_page_plugin_shows_the_own_profile(plugin: str) -> None:
    assert urls(plugin) == ["https://www.facebook.com/acmebakery"]


def test_an_unknown_fediverse_instance_counts_when_the_link_says_so() -> None:
    html = '<footer><a rel="me" href="https://social.acme.example/@acme">M</a></footer>'

    assert urls(html) == ["https://social.acme.example/@acme"]
    assert urls('<footer><a href="https://blog.example/@acme">M</a></footer>') == []


@given(st.text(max_size=300))
def test_no_address_and_no_page_ever_raises(text: str) -> None:
    read_profile(text)
    read_profile("https://www.facebook.com/" + text)
    socials(f'<a href="https://www.facebook.com/{text}">{text}</a>{text}')


@pytest.mark.timed
def test_time_grows_with_the_page_and_no_faster() -> None:
    """B9: ten times as many links take at most fifteen times as long."""

    def page(count: int) -> str:
        return "<p>" + "".join(f'by <a href="https://x.com/user{n}">design by {n}</a>' for n in range(count))

    def seconds(count: int) -> float:
        doc = parse_document(page(count))
        times = []
        for _ in range(3):
            start = time.process_time()
            find_socials(doc, HINTS)
            times.append(time.process_time() - start)
        return min(times)

    assert seconds(4_000) <= 15 * max(seconds(400), 0.001)
