"""The parts of a URL that say what a page is: names in path or query, endings, signs of a system."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

_MAX_URL = 4_096
_MAX_SEGMENTS = 24
_URL = re.compile(
    r"(?:[a-z][a-z0-9+.\-]{0,20}:)?//([^/?#]*+)([^?#]*+)(?:\?([^#]*+))?(?:#(.*+))?", re.I | re.S
)

_PAGE_ENDINGS = frozenset(
    """
    html htm php php3 php4 php5 phtml asp aspx ashx jsp jspx jsf cfm cfml shtml xhtml do action pl cgi
    dll mhtml stm html5 nsf page
    """.split()  # noqa: SIM905  As quoted words it would be harder to read and to extend.
)
_FILE_ENDINGS = frozenset(
    """
    pdf jpg jpeg jpe jfif png gif webp svg ico bmp tif tiff avif heic psd ai eps mp4 m4v avi mov wmv mkv
    webm flv mpg mpeg 3gp ogv mp3 wav ogg oga flac m4a aac wma mid zip rar 7z gz tgz tar bz2 xz exe msi
    dmg apk iso deb rpm jar doc docx docm dot rtf odt xls xlsx xlsm ods ppt pptx pps odp csv tsv txt
    epub mobi css js mjs map json jsonld woff woff2 ttf otf eot swf vcf vcard ics ical kml kmz gpx dwg
    dxf stl step sql log bak torrent wasm webmanifest xsl xsd dtd md5 sha256 asc sig p7s
    """.split()  # noqa: SIM905  As quoted words it would be harder to read and to extend.
)
_FEED_NAMES = frozenset(
    """
    feed feeds rss rss2 atom rdf feed.xml rss.xml atom.xml index.xml feed.json rss.php
    """.split()  # noqa: SIM905  As quoted words it would be harder to read and to extend.
)
_EMPTY = frozenset(
    """
    index default main.php index.php home.php default.aspx index.html index.htm site web www content cms
    node pages page seiten seite paginas pagina stranka sayfa p html php public wordpress wp joomla
    drupal startpage show view detail details sp smp smartphone
    """.split()  # noqa: SIM905  As quoted words it would be harder to read and to extend.
)
_LANGUAGES = frozenset(
    """
    aa af am ar az be bg bn bs ca cn cs cy cz da de dk ee el en eng es et eu fa fi fil fr fre ga ge ger
    gl gr gu he hi hk hr hu hy id ie il is it ita iw ja jp ka kk km kn ko kr ku ky lb lo lt lv mk ml mn
    mr ms mt my nb ne nl nn no pa pl ps pt ptbr ro rs ru rus rw se si sk sl sq sr sv sw ta te tg th tl
    tr tw ua uk ur us uz vi vn yi zh english deutsch german francais french espanol spanish italiano
    italian portugues nederlands dutch polski svenska norsk dansk suomi cesky cestina magyar romana
    turkce russian arabic hebrew japanese chinese korean
    """.split()  # noqa: SIM905  As quoted words it would be harder to read and to extend.
)
_PROJECT_HOSTS = (".github.io", ".gitlab.io", ".codeberg.page")
_INDEX = re.compile(r"(?:index|default|home|start)[-_.]?([a-z\d\-]{0,8})")
# A country of two letters, or a script: "pt-br", "zh-hans", but not "il-team".
_LOCALE = re.compile(r"([a-z]{2,3})[-_](?:[a-z]{2,3}|hans|hant|latn|cyrl|arab)", re.IGNORECASE)
_YEAR, _MONTH = re.compile(r"(?:19|20)\d\d"), re.compile(r"(?:0?[1-9]|1[0-2])")
_WP_PART = re.compile(
    r"wp-(?:content|admin|includes|json|login|cron|signup|activate)(?:\.php)?|xmlrpc\.php", re.I
)

_NAMING = frozenset(
    """
    page p pg pag pagina page_name pagename pageid page_id seite site site_name strona stranka sayfa
    oldal sida side sivu view content section sec route r controller module mod option action act do go
    menu show file inc id q_page name path url x tab nav k s_page article lang_page title alias slug
    """.split()  # noqa: SIM905  As quoted words it would be harder to read and to extend.
)
_SEARCHING = frozenset(
    """
    s q query search keyword keywords suche searchword search_query term
    """.split()  # noqa: SIM905  As quoted words it would be harder to read and to extend.
)
_BY_PARAMETER = {
    "feed": "feed",
    "attachment_id": "media",
    "tag": "tag",
    "cat": "category",
    "category_name": "category",
    "product": "product",
    "product_id": "product",
    "product_cat": "product_category",
    "add-to-cart": "account",
    "add_to_cart": "account",
    "add_to_wishlist": "account",
    "replytocom": "archive",
    "author": "archive",
    "m": "archive",
    "paged": "archive",
}


class Path(NamedTuple):
    """Names from the home page down, the number of segments written, and what a sign decided already."""

    names: tuple[str, ...]
    depth: int
    host_label: str = ""
    sign: str = ""  # A topic that needs no name.
    why: str = ""
    fragment: str = ""
    is_project: bool = False  # The first folder of a host that gives every project one.


def split_url(url: str) -> Path:
    """Take a URL apart; never raises."""
    match = _URL.match(url[:_MAX_URL].strip())
    host, path, query, fragment = match.groups("") if match else ("", url[:_MAX_URL], "", "")
    if fragment.startswith(("/", "!/")):
        path = path.rstrip("/") + "/" + fragment.lstrip("!")
    raw = [segment for segment in path.replace(";", "/").split("/") if segment][:_MAX_SEGMENTS]
    segments = [unquote(segment) for segment in raw] if "%" in path else raw
    parameters = _parameters(query) if query else []
    names = tuple(_names(segments))
    sign, why = _sign(segments, parameters, is_root=not names)
    if not names:
        names = tuple(_names(_named_in_query(parameters)))
    name = host.rpartition("@")[2].lower()
    is_project = len(raw) == 1 and name.endswith(_PROJECT_HOSTS)
    return Path(names, len(raw), name.partition(".")[0], sign, why, fragment, is_project)


def _parameters(query: str) -> list[tuple[str, str]]:
    pairs = [part.partition("=") for part in query.split("&", 40)[:40] if part]
    return [(unquote(name).lower(), unquote(value.replace("+", " "))) for name, _, value in pairs]


def _sign(segments: list[str], parameters: list[tuple[str, str]], *, is_root: bool) -> tuple[str, str]:
    """A topic by an ending, a system's own folder or a parameter; and what showed it."""
    last = segments[-1].lower().strip() if segments else ""
    ending = _ending(last)
    if "sitemap" in last and (ending in ("xml", "txt", "gz") or last.endswith(".xml.gz")):
        return "sitemap_file", f"file {last[:80]}"
    if last in _FEED_NAMES or ending in ("rss", "atom", "rdf"):
        return "feed", f"name {last[:80]}"
    if ending in _FILE_ENDINGS or ending == "xml":
        return "media", f"file ending {ending}"
    for segment in segments:
        if segment[:1] in "wWxX" and _WP_PART.fullmatch(segment):
            return "wp_part", f"WordPress path {segment.lower()}"
    return _sign_in_query(parameters, is_root=is_root) or _dated(segments)


def _sign_in_query(parameters: list[tuple[str, str]], *, is_root: bool) -> tuple[str, str] | None:
    for name, value in parameters:
        if name in ("p", "page_id") and value.isdecimal() and is_root:
            return "wp_page", f"WordPress parameter {name}"
        if name in _SEARCHING and value and is_root:
            return "search", f"parameter {name}"
        topic = _BY_PARAMETER.get(name)
        if topic and value and (is_root or topic in ("account", "feed", "media")):
            return topic, f"parameter {name}"
    return None


def _dated(segments: list[str]) -> tuple[str, str]:
    """A year and a month in the path: an article when a name follows, else an archive."""
    for at, segment in enumerate(segments[:-1]):
        if _YEAR.fullmatch(segment) and _MONTH.fullmatch(segments[at + 1]):
            rest = [part for part in segments[at + 2 :] if not part.isdecimal()]
            return ("blog" if rest else "archive"), f"date {segment}/{segments[at + 1]}"
    if len(segments) > 1 and segments[-1].isdecimal() and segments[-2].lower() in ("page", "seite", "pagina"):
        return "archive", "numbered list page"
    return "", ""


def _ending(segment: str) -> str:
    return segment.rpartition(".")[2] if "." in segment.strip(".") else ""


def _names(segments: list[str]) -> list[str]:
    """The segments that name something: no index files, languages, endings or numbers."""
    names: list[str] = []
    for at, segment in enumerate(segments):
        name = segment.strip()
        if "." in name and _ending(name.lower()) in _PAGE_ENDINGS:
            name = name.rpartition(".")[0]
        lower = name.lower().strip("~._-")
        if (
            not lower
            or lower in _EMPTY
            or _is_index(lower)
            or lower.isdecimal()
            or (at < 2 and not names and is_language(lower))
        ):
            continue
        names.append(name)
    return names


def _is_index(lower: str) -> bool:
    """True for index files with a language or a number: index_en, default-2."""
    index = _INDEX.fullmatch(lower)
    return index is not None and (not index[1] or index[1].isdecimal() or is_language(index[1]))


def is_special_name(lower: str) -> bool:
    """True for names, without their ending, that never name a page, whatever folder they are in."""
    return lower in _EMPTY or lower in _FEED_NAMES or lower == "xmlrpc"


def is_language(lower: str) -> bool:
    """True for a language or a locale, such as de and pt-br."""
    locale = _LOCALE.fullmatch(lower)
    return lower in _LANGUAGES or bool(locale and locale[1] in _LANGUAGES)


def without_language(name: str) -> str:
    """A name without the language at its end: ueber_uns_de."""
    rest, mark, last = name.replace("-", "_").rpartition("_")
    return rest if mark and len(last) == 2 and is_language(last.lower()) else ""


def _named_in_query(parameters: list[tuple[str, str]]) -> list[str]:
    """Values such as page=kontakt or route=information/contact, read as if they were a path."""
    segments: list[str] = []
    for name, value in parameters:
        if name in _NAMING and value and not value.isdecimal():
            segments += [part.removeprefix("com_").removeprefix("mod_") for part in value.split("/") if part]
        elif not value and name and not name.isdecimal():
            segments.append(name)
    return segments[:_MAX_SEGMENTS]
