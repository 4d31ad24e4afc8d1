"""Technologies of a page: our own rules line by line, and how signs add up, exclude and imply."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapersky.extract.html import parse_document
from scrapersky.extract.results import Hints, Technology
from scrapersky.extract.technologies import find_technologies
from scrapersky.extract.technologies.fingerprints import dropped_patterns, fingerprints
from scrapersky.extract.technologies.lead_fingerprints import lead_fingerprints
from scrapersky.extract.technologies.required_literals import required_by_pattern, required_by_selector

HINTS = Hints(site_domain="acme.example")

# A line of a page, or of its headers and cookies, for each technology of our own table.
LINES = {
    "Wix": '<script src="https://static.parastorage.com/services/main.js"></script>',
    "Squarespace": "<!-- This is Squarespace. -->",
    "Jimdo": '<link href="https://assets.jimstatic.com/web.css" rel="stylesheet">',
    "IONOS MyWebsite": '<img src="https://u.mywebsite-editor.com/a.png">',
    "Webflow": '<html data-wf-site="5f1">',
    "Weebly": '<link href="//cdn2.editmysite.com/css/sites.css" rel="stylesheet">',
    "GoDaddy Website Builder": '<meta name="generator" content="Go Daddy Website Builder 8.0">',
    "Duda": '<img src="https://irp.cdn-website.com/1/a.png">',
    "Strato Website": '<script src="https://www.strato-editor.com/a.js"></script>',
    "WebNode": '<meta name="generator" content="Webnode 2">',
    "SITE123": '<img src="https://cdn-cms-s.f-static.net/a.png">',
    "Strikingly": '<link href="https://static-assets.strikinglycdn.com/a.css">',
    "Tilda": '<link href="https://static.tildacdn.com/css/a.css">',
    "Zyro": '<img src="https://assets.zyrosite.com/a.png">',
    "Hostinger Website Builder": '<meta name="generator" content="Hostinger Website Builder">',
    "Framer Sites": '<img src="https://framerusercontent.com/images/a.png">',
    "Carrd": '<meta name="generator" content="Carrd">',
    "Google Sites": '<script src="https://www.gstatic.com/_/atari/_/js/a"></script>',
    "One.com Website Builder": '<link href="https://onewebstatic.com/a.css">',
    "Homepage-Baukasten": '<img src="https://img.webme.com/pic/a.png">',
    "Neos CMS": '<div data-neos-node="x"></div>',
    "Contao": '<meta name="generator" content="Contao Open Source CMS">',
    "TYPO3 CMS": '<link href="/typo3conf/ext/site/a.css">',
    "Shopify": "<script>Shopify.theme = {};</script>",
    "WooCommerce": '<link href="/wp-content/plugins/woocommerce/a.css">',
    "PrestaShop": "<script>var prestashop = {};</script>",
    "Shopware": '<script src="/bundles/storefront/a.js"></script>',
    "JTL Shop": '<input name="jtl_token" value="1">',
    "Gambio": '<script src="/gm_javascript.js.php"></script>',
    "Ecwid": '<script src="https://app.ecwid.com/script.js?1"></script>',
    "Magento": '<script type="text/x-magento-init">{}</script>',
    "Calendly": '<script src="https://assets.calendly.com/assets/external/widget.js"></script>',
    "Doctolib": '<a href="https://www.doctolib.de/praxis/town/acme">Book</a>',
    "Jameda": '<a href="https://www.jameda.de/acme">Book</a>',
    "Acuity Scheduling": '<iframe src="https://app.acuityscheduling.com/schedule.php?owner=1"></iframe>',
    "SimplyBook.me": '<a href="https://acme.simplybook.me/">Book</a>',
    "Setmore": '<a href="https://acme.setmore.com/">Book</a>',
    "Treatwell": '<a href="https://www.treatwell.de/ort/acme/">Book</a>',
    "Shore": '<script src="https://connect.shore.com/widget/booking.js"></script>',
    "Timify": '<script src="https://widget.timify.com/js/widget.js"></script>',
    "Booksy": '<script src="https://booksy.com/widget/code.js?id=1"></script>',
    "Fresha": '<a href="https://www.fresha.com/a/acme">Book</a>',
    "Square Appointments": '<a href="https://squareup.com/appointments/book/1">Book</a>',
    "Eversports": '<a href="https://www.eversports.de/s/acme">Book</a>',
    "Mindbody": '<script src="https://widgets.mindbodyonline.com/javascripts/healcode.js"></script>',
    "Microsoft Bookings": '<a href="https://outlook.office365.com/owa/calendar/acme/bookings/">Book</a>',
    "OpenTable": '<script src="//www.opentable.com/widget/reservation/loader?rid=1"></script>',
    "Resy": '<script src="https://widgets.resy.com/embed.js"></script>',
    "Thefork": '<a href="https://www.thefork.com/restaurant/acme">Book</a>',
    "Quandoo": '<a href="https://www.quandoo.de/place/acme-1">Book</a>',
    "resmio": '<script src="https://static.resmio.com/static/de/widget.js"></script>',
    "SevenRooms": '<a href="https://www.sevenrooms.com/reservations/acme">Book</a>',
    "Lieferando": '<a href="https://www.lieferando.de/menu/acme">Order</a>',
    "Uber Eats": '<a href="https://www.ubereats.com/store/acme">Order</a>',
    "DoorDash": '<a href="https://www.doordash.com/store/acme">Order</a>',
    "Booking.com": '<a href="https://www.booking.com/hotel/de/acme.html">Book</a>',
    "Intercom": '<script src="https://widget.intercom.io/widget/a"></script>',
    "Tawk.to": '<script>s1.src="https://embed.tawk.to/1/default";</script>',
    "Drift": '<script>o.src="https://js.driftt.com/include/a.js"</script>',
    "HubSpot": '<script src="//js.hs-scripts.com/1.js"></script>',
    "Crisp Live Chat": '<script>s.src="https://client.crisp.chat/l.js"</script>',
    "Tidio": '<script src="//code.tidio.co/a.js"></script>',
    "LiveChat": '<script>n.src="https://cdn.livechatinc.com/tracking.js"</script>',
    "Zendesk Chat": '<script src="https://static.zdassets.com/ekr/snippet.js?key=1"></script>',
    "UserLike": '<script src="https://userlike-cdn-widgets.s3.amazonaws.com/a.js"></script>',
    "Smartsupp": '<script>c.src="https://www.smartsuppchat.com/loader.js?"</script>',
    "WhatsApp Business Chat": '<a href="https://wa.me/49123456">Chat</a>',
    "Google Analytics": '<script src="https://www.googletagmanager.com/gtag/js?id=G-ABC1234567"></script>',
    "Google Tag Manager": "<script>j.src='https://www.googletagmanager.com/gtm.js?id='+i</script>",
    "Matomo Analytics": "<script>g.src=u+'matomo.js';</script>",
    "Plausible": '<script data-domain="a" src="https://plausible.io/js/script.js"></script>',
    "Fathom": '<script src="https://cdn.usefathom.com/script.js"></script>',
    "Hotjar": "<script>'https://static.hotjar.com/c/hotjar-'</script>",
    "Microsoft Clarity": '<script>t.src="https://www.clarity.ms/tag/"+i</script>',
    "etracker": '<script src="//code.etracker.com/code/e.js"></script>',
    "Jetpack": '<script src="https://stats.wp.com/e.js"></script>',
    "Facebook Pixel": "<script>'https://connect.facebook.net/en_US/fbevents.js'</script>",
    "Google Ads": '<script src="https://www.googletagmanager.com/gtag/js?id=AW-1"></script>',
    "Google AdSense": '<script src="//pagead2.googlesyndication.com/pagead/js/adsbygoogle.js"></script>',
    "Linkedin Insight Tag": '<script>b.src="https://snap.licdn.com/li.lms-analytics/insight.min.js"</script>',
    "TikTok Pixel": '<script>i="https://analytics.tiktok.com/i18n/pixel/events.js"</script>',
    "Microsoft Advertising": '<script>n.src="//bat.bing.com/bat.js"</script>',
    "Pinterest Tag": '<script>"https://s.pinimg.com/ct/core.js"</script>',
    "Cookiebot": '<script src="https://consent.cookiebot.com/uc.js"></script>',
    "Usercentrics": '<script src="https://app.usercentrics.eu/browser-ui/latest/loader.js"></script>',
    "Borlabs Cookie": '<div id="BorlabsCookieBox"></div>',
    "OneTrust": '<script src="https://cdn.cookielaw.org/scripttemplates/otSDKStub.js"></script>',
    "Complianz": '<div class="cmplz-cookiebanner"></div>',
    "CookieYes": '<script src="https://cdn-cookieyes.com/client_data/1/script.js"></script>',
    "Real Cookie Banner": '<div id="real-cookie-banner-1"></div>',
    "iubenda": '<script src="https://cdn.iubenda.com/cs/iubenda_cs.js"></script>',
    "consentmanager": '<script src="https://cdn.consentmanager.net/delivery/js/a.js"></script>',
    "Klaro": "<script>var klaroConfig = {};</script>",
    "Osano": '<script src="https://cmp.osano.com/1/osano.js"></script>',
    "Axeptio": '<script>t.src="https://static.axept.io/sdk.js"</script>',
    "tarteaucitron.js": '<script src="/js/tarteaucitron.js"></script>',
    "MailChimp": '<form action="https://acme.us1.list-manage.com/subscribe/post?u=1"></form>',
    "Brevo": '<form action="https://1.sibforms.com/serve/a"></form>',
    "CleverReach": '<form action="https://eu2.cleverreach.com/f/1/wcs/"></form>',
    "rapidmail": '<form action="https://t1.emailsys1a.net/1/subscribe"></form>',
    "Klaviyo": '<script src="https://static.klaviyo.com/onsite/js/klaviyo.js"></script>',
    "ActiveCampaign": '<form action="https://acme.activehosted.com/proc.php"></form>',
    "MailerLite": '<script>"https://assets.mailerlite.com/js/universal.js"</script>',
    "Newsletter2Go": '<script>"//static.newsletter2go.com/utils.js"</script>',
    "Stripe": '<script src="https://js.stripe.com/v3/"></script>',
    "PayPal": '<script src="https://www.paypal.com/sdk/js?client-id=1"></script>',
    "Klarna": '<script src="https://eu-library.klarnaservices.com/lib.js"></script>',
    "SumUp": '<a href="https://pay.sumup.com/b2c/1">Pay</a>',
    "Trustpilot": '<script src="//widget.trustpilot.com/bootstrap/v5/tp.widget.bootstrap.min.js"></script>',
    "ProvenExpert": '<img src="https://images.provenexpert.com/a.png">',
    "Trusted Shops": '<script src="//widgets.trustedshops.com/js/1.js"></script>',
    "Elementor": '<meta name="generator" content="Elementor 3.18.3; features: x">',
    "Elfsight": '<div class="elfsight-app-1"></div>',
    "POWR": '<script src="https://www.powr.io/powr.js"></script>',
    "Jotform": '<iframe src="https://form.jotform.com/1"></iframe>',
    "Typeform": '<script src="//embed.typeform.com/next/embed.js"></script>',
    "Google Forms": '<iframe src="https://docs.google.com/forms/d/e/1/viewform"></iframe>',
    "reCAPTCHA": '<script src="https://www.google.com/recaptcha/api.js"></script>',
    "Friendly Captcha": '<div class="frc-captcha"></div>',
    "hCaptcha": '<script src="https://hcaptcha.com/1/api.js"></script>',
    "Google Maps": '<iframe src="https://www.google.com/maps/embed?pb=1"></iframe>',
    "OpenStreetMap": '<iframe src="https://www.openstreetmap.org/export/embed.html"></iframe>',
    "Personio": '<a href="https://acme.jobs.personio.de/">Jobs</a>',
}
HEADERS = {
    "Netlify": {"X-NF-Request-ID": "1"},
    "Vercel": {"x-vercel-id": "fra1::1"},
    "GitHub Pages": {"Server": "GitHub.com"},
    "WP Engine": {"X-Powered-By": "WP Engine"},
    "Kinsta": {"x-kinsta-cache": "HIT"},
    "Hostinger": {"platform": "hostinger"},
    "Cloudflare": {"CF-RAY": "1-FRA"},
    "Amazon CloudFront": {"x-amz-cf-id": "1"},
    "Fastly": {"x-served-by": "cache-fra-1"},
    "Wix": {"x-wix-request-id": "1"},
    "Shopify": {"X-ShopId": "1"},
}


def technologies(html: str, **answer: object) -> dict[str, Technology]:
    found = find_technologies(parse_document(html), HINTS, **answer)  # type: ignore[arg-type]
    return {technology.name: technology for technology in found}


@pytest.mark.parametrize(("name", "line"), LINES.items(), ids=LINES)
def test_each_rule_of_ours_finds_its_line(name: str, line: str) -> None:
    found = technologies(f"<html><body>{line}</body></html>")

    assert name in found
    assert found[name].categories
    assert found[name].evidence[0].quote


@pytest.mark.parametrize(("name", "headers"), HEADERS.items(), ids=HEADERS)
def test_each_rule_for_headers_finds_its_header(name: str, headers: dict[str, str]) -> None:
    assert technologies("<p>", headers=headers)[name].evidence[0].method == "headers"


def test_no_rule_of_ours_is_without_a_line() -> None:
    assert set(lead_fingerprints()) <= set(LINES) | set(HEADERS)


def test_a_plain_page_is_made_with_nothing() -> None:
    assert technologies("<html><body><h1>Acme</h1><p>Bread, daily.</p><a href='/contact'>Contact</a>") == {}


def test_versions_come_with_the_proof() -> None:
    html = """<meta name="generator" content="WordPress 6.4.2">
      <meta name="generator" content="Elementor 3.18.3; x">
      <script src="/js/jquery-3.7.1.min.js"></script>"""
    found = technologies(html)

    assert found["WordPress"].version == "6.4.2"
    assert found["Elementor"].version == "3.18.3"
    assert found["jQuery"].version == "3.7.1"
    assert found["jQuery"].evidence[0].quote == "/js/jquery-3.7.1.min.js"
    assert html[found["jQuery"].evidence[0].start :].startswith("/js/jquery")


def test_what_is_implied_says_by_whom() -> None:
    found = technologies('<meta name="generator" content="WordPress 6.4">')

    assert found["PHP"].evidence[0].method == "implied"
    assert found["PHP"].evidence[0].quote == "WordPress"


def test_a_plugin_without_its_system_is_not_there() -> None:
    line = '<link id="twenty-twenty-one-style-css" href="/a.css">'
    name = "Twenty Twenty-One"

    assert fingerprints().known[name].requires == ("WordPress",)
    assert name not in technologies(line)
    assert name in technologies('<meta name="generator" content="WordPress 6">' + line)


@pytest.mark.parametrize(
    "html",
    [
        '<script src="https://other.example/wp-content/plugins/a.js"></script>',
        "<p>We moved from Joomla to WordPress and from Shopify to Wix.</p>",
        '<img src="https://static.wixstatic.com/media/a.png">',
    ],
)
def test_one_weak_or_foreign_sign_makes_no_system(html: str) -> None:
    systems = {"CMS", "Ecommerce", "Blogs"}

    assert not [one.name for one in technologies(html).values() if systems & set(one.categories)]


def test_the_same_sign_on_the_own_host_is_enough() -> None:
    found = technologies('<script src="https://www.acme.example/wp-content/plugins/a.js"></script>')

    assert found["WordPress"].confidence == 100


def test_of_two_that_exclude_each_other_one_stays() -> None:
    excluding = next(one for one in fingerprints().known.values() if one.name == "Backdrop")
    html = """<meta name="generator" content="Backdrop CMS 1 (https://backdropcms.org)">
      <script src="/misc/drupal.js"></script>"""

    found = technologies(html)

    assert "Drupal" in excluding.excludes
    assert "Backdrop" in found
    assert "Drupal" not in found


def test_cookies_are_read_by_name_and_from_the_header() -> None:
    assert "JTL Shop" in technologies("<p>", cookies=["JTLSHOP=abc; path=/"])
    assert "JTL Shop" in technologies("<p>", cookies=["jtlshop"])
    assert "JTL Shop" in technologies("<p>", headers={"Set-Cookie": "JTLSHOP=abc; Secure"})


def test_confidence_adds_up_to_one_hundred() -> None:
    for technology in technologies("".join(LINES.values())).values():
        assert 0 < technology.confidence <= 100


@pytest.mark.parametrize(
    ("pattern", "need"),
    [
        (r"elementor/assets/js/[^/]+\.js\?ver=([\d.]+)$", ("elementor/assets/js/",)),
        (r"(?:intercom|drift)widget?", ("widge",)),
        (r"foo(?:alpha|betas)\d", ("alpha", "betas")),
        (r"[Oo]penTable", ("opentable",)),
        (r"abcd?efgh*", ("efg",)),
        (r"a|bcdef", ()),
        (r"[\d]+x", ()),
        (r"(?!never)always", ("always",)),
    ],
)
def test_the_text_a_pattern_needs_is_read_out_of_it(pattern: str, need: tuple[str, ...]) -> None:
    assert required_by_pattern(pattern) == tuple(text for text in need if len(text) > 3)


def test_the_text_a_selector_needs_is_read_out_of_it() -> None:
    assert required_by_selector("link[href*='/themes/acme/'], script#acme-id") == ("/themes/acme/", "acme-id")
    assert required_by_selector("div") == ()


@given(
    st.from_regex(r"(?:[a-z]{1,6}|\\d|\[ab\]|\(x[yz]*\)|[a-z]{4,8}\?|\.\*){1,6}", fullmatch=True), st.data()
)
def test_a_text_that_matches_always_holds_what_the_pattern_needs(pattern: str, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(pattern, fullmatch=True))
    need = required_by_pattern(pattern)

    assert not need or any(part in text for part in need)


def test_few_of_the_vendored_patterns_are_left_out() -> None:
    """What RE2 cannot express or the filter cannot serve is counted, so that a change is seen."""
    assert len(dropped_patterns()) <= 6
    assert fingerprints().unfiltered <= 24
    assert len(fingerprints().known) > 3_400


@given(st.text(max_size=300), st.dictionaries(st.text(max_size=20), st.text(max_size=60), max_size=4))
def test_no_page_and_no_answer_ever_raises(text: str, headers: dict[str, str]) -> None:
    technologies(text, headers=headers, cookies=[text])
    technologies(
        f'<script src="{text}/wp-content/jquery-{text}.js"></script><meta name="generator" content="{text}">'
    )


@pytest.mark.timed
@pytest.mark.parametrize(
    "piece",
    [
        '<link rel="stylesheet" href="/wp-content/x.css">',
        "<div class='elementor ",
        '<script src="/jquery.js"></script>',
        'latestVersion":"',
        "bootstrap bootstrap.min ",
    ],
)
def test_time_grows_with_the_page_and_no_faster(piece: str) -> None:
    """B9: ten times the page takes at most fifteen times as long."""

    def seconds(size: int) -> float:
        doc = parse_document(piece * (size // len(piece)))
        times = []
        for _ in range(3):
            start = time.process_time()
            find_technologies(doc, HINTS)
            times.append(time.process_time() - start)
        return min(times)

    assert seconds(300_000) <= 15 * max(seconds(30_000), 0.002)
