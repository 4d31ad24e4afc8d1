"""Social networks as data: their hosts, and which of their paths are profiles."""

import re
from dataclasses import dataclass
from functools import lru_cache

# Subdomains that show the same profile in another dress or language: m., web., de-de., uk.
_DRESS = re.compile(r"(?:www\d?|m|mobile|mbasic|touch|web|business|[a-z]{2}(?:-[a-z]{2})?)\.")

_HOST = re.compile(r"(?:[a-zA-Z][a-zA-Z0-9+.-]{0,20}:)?(?://)?(?:[^/?#@]{0,200}@)?([^/?#:@]{1,255})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """One network on one set of hosts; in a shape "*" is a handle and "**" the rest of the path."""

    name: str
    home: str  # Canonical start of a profile's address.
    hosts: tuple[str, ...]
    shapes: tuple[str, ...] = ("*",)
    reserved: frozenset[str] = frozenset()  # First words of a path that are the network's own, or one post's.
    sides: frozenset[str] = frozenset()  # Words after a handle that show another side of the same profile.
    dropped: tuple[
        str, ...
    ] = ()  # Leading words that change nothing, "intl-" standing for all that begin so.
    argument: tuple[str, str] | None = None  # A path and the query argument that names the profile there.
    keeps_host: bool = False  # National hosts and instances are kept: they are not the same place.
    in_subdomain: bool = False  # A profile may also be the first label of the host.
    allows_number: bool = True  # A bare number is a profile, not a post.
    signs: str = "._-"  # What a handle may hold beside letters and digits.


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _hosts(name: str, endings: str) -> tuple[str, ...]:
    return tuple(f"{name}.{ending}" for ending in endings.split())


# First words of a path that no network gives away as a handle.
RESERVED = _words(
    """about about-us account accounts ad add ads advertise advertising ajax android api app app-store
    apps archive assets auth blog bookmarks brand business campaign careers cart categories category
    checkout community community-guidelines companies company confirm connect contact cookie
    cookie-policy cookies copyright create creators dashboard data delete developer developers
    dialog direct directory discover discussions donate download downloads edit embed error events
    explore export favicon.ico favorites features feed feeds find followers following forgot forums
    friends games get group groups guidelines hashtag hashtags help home hot i images import imprint
    inbox index install intent invite ios job jobs js l language legal licenses like likes link list
    lists lite live location locations login log_in logout mail me media messages mobile my nearby
    new newsroom notifications oauth oauth2 oembed page pages password people permalink
    personalization places plugins policies policy popular post posts premium press pricing privacy
    privacy-policy profile profiles public redirect register report reset rss rules safety save
    saved search search-advanced security select services session sessions settings share
    sharearticle sharer sharing shop signin signout signup sitemap start static status stories story
    store submit subscribe subscriptions suggested support tag tagged tags terms terms-of-service
    terms-of-use top topic topics tos tr translate trending trends unsubscribe upgrade upload url
    user users verify video videos wallet watch web welcome widget widgets you your-account null
    undefined none false true"""
)
# Endings of pages that a network itself serves: home.php, login.aspx, robots.txt.
SERVED = (
    ".php",
    ".html",
    ".htm",
    ".aspx",
    ".asp",
    ".jsp",
    ".do",
    ".cgi",
    ".xml",
    ".txt",
    ".json",
    ".ico",
    ".js",
)

# Instances of Mastodon whose names do not say so.
_INSTANCES = """
    mas.to fosstodon.org chaos.social troet.cafe norden.social hachyderm.io social.tchncs.de pawoo.net
    piaille.fr infosec.exchange techhub.social ruhr.social bonn.social nrw.social muenchen.social
    social.cologne social.bund.de indieweb.social sueden.social openbiblio.social det.social masto.ai
    masto.es masto.pt c.im mamot.fr social.vivaldi.net toot.community universeodon.com
"""

NETWORKS: tuple[Network, ...] = (
    Network(
        name="facebook",
        home="https://www.facebook.com/",
        hosts=("facebook.com", "fb.com", "fb.me"),
        shapes=("pages/category/*/*", "pages/*/*", "people/*/*", "p/*", "groups/*", "share/*", "*"),
        reserved=_words(
            """gameroom hashtag fundraisers weather memories offers r.php reg unsupportedbrowser
            recommendations 2008 ajax bookmarks campaign checkpoint facebook flx gaming groups
            l.php legal_terms live.php marketplace media messages ms notes p pages people
            permalink.php photo photo.php photos pg profile.php recover reel reels stories
            story.php video.php whatsapp www.facebook.com"""
        ),
        sides=_words(
            """about about_details app community events followers home info likes mentions menu notifications
            photos photos_albums photos_stream posts reels reviews services shop timeline videos"""
        ),
        dropped=("pg",),
        argument=("profile.php", "id"),
        signs="._-'&",
    ),
    Network(
        name="instagram",
        home="https://www.instagram.com/",
        hosts=("instagram.com", "instagr.am"),
        reserved=_words(
            """create nametag your_activity graphql lite s p reel reels tv stories directory emails
            web challenge instagram ar"""
        ),
        sides=_words("channel tagged reels guides"),
        signs="._",
    ),
    Network(
        name="linkedin",
        home="https://www.linkedin.com/",
        hosts=("linkedin.com",),
        shapes=("company/*", "in/*", "school/*", "showcase/*", "groups/*", "pub/**"),
        sides=_words(
            """about mycompany life jobs posts people videos events products admin recent-activity en de fr
            es"""
        ),
        signs="._-&'+,()®",
    ),
    Network(
        name="x",
        home="https://x.com/",
        hosts=("x.com", "twitter.com"),
        reserved=_words(
            """search-home mentions activity messages following intl similar_to compose
            who_to_follow statuses twitter x goodies personalization logged_out hashtag"""
        ),
        sides=_words("media with_replies likes followers following photo articles"),
        signs="_",
    ),
    Network(
        name="youtube",
        home="https://www.youtube.com/",
        hosts=("youtube.com",),
        shapes=("channel/*", "user/*", "c/*", "@*", "*"),
        reserved=_words(
            """account_notifications paid_memberships howyoutubeworks shorts post source tv
            reporthistory select_site attribution_link c channel channels clip creators gaming
            iframe_api kids live movies music new player_api playlist playlists premium red
            results shorts subscription_center t user v view_play_list yt youtube yts"""
        ),
        sides=_words("about channels community featured playlists shorts streams live store videos join"),
        signs="._-·",
    ),
    Network(name="tiktok", home="https://www.tiktok.com/", hosts=("tiktok.com",), shapes=("@*",), signs="._"),
    Network(
        name="pinterest",
        home="https://www.pinterest.com/",
        hosts=_hosts(
            "pinterest", "com de at ch fr it es pt se dk ie nz ca jp ph cl co.uk com.au com.mx co.kr"
        ),
        reserved=_words(
            """homefeed convert-business password source shopping news_hub pin today ideas _
            resource pinterest offsite"""
        ),
        sides=_words("_saved _created boards pins"),
        keeps_host=True,
    ),
    Network(
        name="threads",
        home="https://www.threads.com/",
        hosts=("threads.com", "threads.net"),
        shapes=("@*",),
        keeps_host=True,
        signs="._",
    ),
    Network(name="bluesky", home="https://bsky.app/", hosts=("bsky.app",), shapes=("profile/*",)),
    Network(
        name="mastodon",
        home="https://mastodon.social/",
        hosts=(
            *_hosts("mastodon", "social online world nl uno green scot ie art eus cloud xyz com.br"),
            *_hosts("mstdn", "social jp ca party plus"),
            *_INSTANCES.split(),
        ),
        shapes=("@*", "users/*"),
        keeps_host=True,
        signs="._-@",
    ),
    Network(
        name="telegram",
        home="https://t.me/",
        hosts=("t.me", "telegram.me", "telegram.dog"),
        reserved=_words(
            """setlanguage addtheme bg confirmphone invoice giftcode boost m nft addlist contest tg
            share joinchat addstickers addemoji proxy socks iv telegram s c"""
        ),
        dropped=("s",),
        signs="_",
    ),
    Network(
        name="xing",
        home="https://www.xing.com/",
        hosts=("xing.com",),
        shapes=("companies/*", "company/*", "pages/*", "profile/*", "net/*"),
        sides=_words("about updates news web_profiles cv portfolio"),
        signs="._-&",
    ),
    Network(
        name="vimeo",
        home="https://vimeo.com/",
        hosts=("vimeo.com",),
        shapes=("channels/*", "*"),
        reserved=_words(
            """ott enterprise solutions for-hire cookie_policy site_map live-streaming user
            everywhere channels groups album categories ondemand showcase event manage stock
            watch vimeo blog"""
        ),
        sides=_words("about videos"),
        allows_number=False,
    ),
    Network(
        name="github",
        home="https://github.com/",
        hosts=("github.com",),
        shapes=("orgs/*", "*"),
        reserved=_words(
            """issues pulls codespaces gist copilot resources nonprofits stars watching collections
            contact customer-stories enterprise github join marketplace new nonprofit
            organizations orgs pages readme site solutions sponsors team topics"""
        ),
        sides=_words("repositories people"),
        signs="-_",
    ),
    Network(
        name="yelp",
        home="https://www.yelp.com/",
        shapes=("biz/*",),
        keeps_host=True,
        hosts=_hosts(
            "yelp", "com de at ch fr it es nl be ie se dk no fi pl pt ca co.uk com.au com.mx com.br co.nz"
        ),
        signs="._-'&",
    ),
    Network(
        name="tripadvisor",
        home="https://www.tripadvisor.com/",
        hosts=_hosts(
            "tripadvisor",
            "com de at ch fr it es nl be ie se dk pt ca in jp ru co.uk co.nz co.za com.au com.br",
        ),
        shapes=("Restaurant_Review-*", "Hotel_Review-*", "Attraction_Review-*", "AttractionProductReview-*"),
        keeps_host=True,
        signs="._-",
    ),
    Network(
        name="houzz",
        home="https://www.houzz.com/",
        hosts=_hosts("houzz", "com de at fr it es se dk ie in jp ru co.uk co.nz com.au"),
        shapes=("pro/*", "user/*", "professionals/*/*", "professionnels/*/*", "experten/*/*"),
        sides=_words("__public"),
        keeps_host=True,
        signs="._-~",
    ),
    Network(
        name="google",
        home="https://g.page/",
        hosts=("g.page",),
        shapes=("r/*", "*"),
        sides=_words("""review"""),
        reserved=frozenset({"r"}),
    ),
    Network(
        name="google",
        home="https://www.google.com/",
        hosts=("google.com", "maps.google.com"),
        shapes=(),
        argument=("maps", "cid"),
    ),
    Network(
        name="vk",
        home="https://vk.com/",
        hosts=("vk.com", "vk.ru", "vkontakte.ru"),
        reserved=_words(
            """albums audios bugs stickers restore edu biz friends away.php dev doc feed im market
            video vk wall widget_community.php"""
        ),
        allows_number=False,
        signs="._",
    ),
    Network(
        name="ok",
        home="https://ok.ru/",
        hosts=("ok.ru", "odnoklassniki.ru"),
        allows_number=False,
        shapes=("group/*", "profile/*", "*"),
        reserved=_words("apphook gifts music dk group profile live offer"),
    ),
    Network(
        name="line", home="https://line.me/", hosts=("line.me",), shapes=("R/ti/p/*", "ti/p/*"), signs="@._-~"
    ),
    Network(name="line", home="https://page.line.me/", hosts=("page.line.me",)),
    Network(name="line", home="https://lin.ee/", hosts=("lin.ee",)),
    Network(
        name="medium",
        home="https://medium.com/",
        hosts=("medium.com",),
        shapes=("@*", "*"),
        reserved=_words(
            """plans explore-topics jobs-at-medium _ creators m me membership new-story p policy
            topic topics"""
        ),
        sides=_words("followers"),
        in_subdomain=True,
    ),
    Network(
        name="soundcloud",
        home="https://soundcloud.com/",
        hosts=("soundcloud.com",),
        reserved=_words(
            """stations genres go getstarted messages charts groups imprint pages player people
            popular you stream upload soundcloud"""
        ),
        sides=_words("tracks albums sets reposts popular-tracks"),
        signs="-_",
    ),
    Network(
        name="spotify",
        home="https://open.spotify.com/",
        hosts=("open.spotify.com",),
        shapes=("artist/*", "show/*", "user/*"),
        dropped=("intl-",),
    ),
    Network(
        name="bandcamp", home="https://bandcamp.com/", hosts=("bandcamp.com",), shapes=(), in_subdomain=True
    ),
    Network(
        name="linktree",
        home="https://linktr.ee/",
        hosts=("linktr.ee",),
        reserved=_words("blog discover s admin marketplace"),
    ),
    Network(
        name="flickr",
        home="https://www.flickr.com/",
        hosts=("flickr.com",),
        shapes=("photos/*", "people/*", "groups/*"),
        sides=_words("albums sets collections"),
        signs="._-@",
    ),
    Network(
        name="tumblr",
        home="https://www.tumblr.com/",
        hosts=("tumblr.com",),
        shapes=("blog/*", "*"),
        signs="-_",
        reserved=_words("docs communities radar blog customize dashboard reblog tagged themes"),
        in_subdomain=True,
    ),
    Network(
        name="twitch",
        home="https://www.twitch.tv/",
        hosts=("twitch.tv",),
        sides=_words("""about schedule videos"""),
        reserved=_words("drops prime products bits inventory friends directory downloads p turbo"),
        signs="_",
    ),
    Network(
        name="snapchat", home="https://www.snapchat.com/", hosts=("snapchat.com",), shapes=("add/*", "@*")
    ),
    Network(
        name="behance",
        home="https://www.behance.net/",
        hosts=("behance.net",),
        signs="-_",
        reserved=_words("hire for_you assets misc gallery galleries joblist live onboarding"),
    ),
    Network(
        name="dribbble",
        home="https://dribbble.com/",
        hosts=("dribbble.com",),
        signs="-_",
        reserved=_words(
            """teams goods marketplace learn colors freelance-jobs shots designers hiring session
            pro"""
        ),
    ),
    Network(
        name="reddit",
        home="https://www.reddit.com/",
        hosts=("reddit.com",),
        shapes=("r/*", "user/*"),
        signs="-_",
    ),
    Network(
        name="meetup",
        home="https://www.meetup.com/",
        hosts=("meetup.com",),
        sides=_words("""events members"""),
        reserved=_words("create your-events pro cities find topics lp apps"),
    ),
    Network(
        name="weibo", home="https://weibo.com/", hosts=("weibo.com",), shapes=("u/*", "n/*", "*"), signs="-_"
    ),
)

_NETWORK_OF_HOST = {host: network for network in NETWORKS for host in network.hosts}


def profile_host(url: str) -> str:
    """The host of an address as written, in lower case, without user, port and final dot; never raises."""
    match = _HOST.match(url)
    return match[1].rstrip(".").lower() if match else ""


@lru_cache(maxsize=4096)
def find_network(host: str) -> Network | None:
    """The network that answers on a host, with the dress of the host (www, m, a language) taken off."""
    network = _NETWORK_OF_HOST.get(host)
    if network is None:
        dress = _DRESS.match(host)
        network = _NETWORK_OF_HOST.get(host[dress.end() :]) if dress else None
    return network or _network_above(host)


def _network_above(host: str) -> Network | None:
    label, _, above = host.partition(".")
    network = _NETWORK_OF_HOST.get(above)
    return network if network and network.in_subdomain and label else None
