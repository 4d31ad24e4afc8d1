"""Sitemaps and feeds of every make, damaged or hostile, are read as far as they go (RELIABILITY 3.3, B10)."""

import gzip
from datetime import UTC, datetime
from functools import partial
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapersky.extract.sitemaps import SitemapReader
from scrapersky.extract.sitemaps.dates import parse_date, priority
from scrapersky.extract.sitemaps.discovery import (
    find_sitemap_links,
    rank_child,
    rank_child_sitemaps,
    sitemap_paths,
)
from scrapersky.extract.sitemaps.reader import read_entries, read_sitemap

# Without a date, so that the cases have the same names in every process.
packed = partial(gzip.compress, mtime=0)
HOME = "https://example.com/sitemap.xml"
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
XML = '<?xml version="1.0" encoding="UTF-8"?>\n'


def urlset(*paths, extra=""):
    entries = "".join(f"<url><loc>https://example.com{path}</loc>{extra}</url>\n" for path in paths)
    return f"{XML}<urlset {NS}>\n{entries}</urlset>"


def read(text, url=HOME, **limits):
    return read_sitemap(text if isinstance(text, bytes) else text.encode(), url=url, **limits)


def paths(reading):
    return [listing.url.removeprefix("https://example.com") for listing in reading.listings]


THREE = urlset("/a", "/b", "/c")
WORDPRESS = (
    f"{XML}<sitemapindex {NS}>"
    + "".join(f"<sitemap><loc>https://example.com/wp-{n}.xml</loc></sitemap>" for n in range(8))
    + "</sitemapindex>"
)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("plain", THREE),
        ("byte-order mark", "\ufeff" + THREE),
        ("blank lines first", "\n\n  " + THREE),
        ("a warning first", "<b>Warning</b>: something in file.php on line 3<br />\n" + THREE),
        ("a comment first", "<!-- made by a plugin -->" + THREE),
        ("no namespace", THREE.replace(" " + NS, "")),
        ("https namespace", THREE.replace("http://www", "https://www")),
        ("a prefix", THREE.replace("<", "<s:").replace("<s:/", "</s:").replace("<s:?xml", "<?xml")),
        ("upper case", THREE.replace("url", "URL").replace("loc", "LOC")),
        ("CDATA", THREE.replace("<loc>", "<loc><![CDATA[").replace("</loc>", "]]></loc>")),
        (
            "comments inside",
            THREE.replace("<loc>", "<!-- <url><loc>https://example.com/no</loc></url> --><loc>"),
        ),
        ("line breaks in loc", THREE.replace("<loc>", "<loc>\n\t").replace("</loc>", "\r\n </loc>")),
        ("UTF-16 with mark", THREE.encode("utf-16")),
        ("UTF-16 without mark", THREE.encode("utf-16-le")),
        ("UTF-16 big end", THREE.encode("utf-16-be")),
        ("UTF-32", THREE.encode("utf-32")),
        ("gzip", packed(THREE.encode())),
        ("gzip twice", packed(packed(THREE.encode()))),
        ("gzip members", packed(THREE[:150].encode()) + packed(THREE[150:].encode())),
        ("padding behind gzip", packed(THREE.encode()) + b"\0" * 40),
        ("NUL bytes", THREE.replace("/b", "/\x00b")),
        ("control characters", THREE.replace("/b", "/\x01b\x1f")),
        ("url left open", THREE.replace("</url>", "")),
        ("no url elements", THREE.replace("<url>", "").replace("</url>", "")),
        ("relative", THREE.replace("https://example.com/", "/")),
        ("junk behind", THREE + "\n<script>track()</script>"),
        ("attributes", THREE.replace("<url>", '<url id="1" class="x">').replace("<loc>", '<loc lang="en">')),
        ("repeated", urlset("/a", "/b", "/a", "/c", "/b")),
        ("text", "https://example.com/a\nhttps://example.com/b\nhttps://example.com/c"),
        (
            "text with mark and returns",
            "\ufeffhttps://example.com/a\r\nhttps://example.com/b\r\nhttps://example.com/c",
        ),
        (
            "gzipped text",
            packed(b"https://example.com/a\nhttps://example.com/b\nhttps://example.com/c"),
        ),
        (
            "stylesheet",
            THREE.replace("<urlset", '<?xml-stylesheet href="http://evil.example/x.xsl"?><urlset'),
        ),
    ],
)
def test_every_make_of_file_gives_its_urls(name, body):  # SM-11, SM-16
    reading = read(body)
    assert paths(reading) == ["/a", "/b", "/c"], name
    assert (reading.n_urls, reading.n_sitemaps, reading.refused) == (3, 0, "")


def test_two_documents_in_one_file_are_both_read():  # SM-16
    assert paths(read(THREE + urlset("/d", "/e"))) == ["/a", "/b", "/c", "/d", "/e"]


def test_bytes_that_are_not_what_is_declared_are_read():  # SM-19
    body = urlset("/a", "/caf\xe9", "/c").encode("latin-1")
    assert paths(read(body)) == ["/a", "/caf%C3%A9", "/c"]
    declared = urlset("/caf\xe9").replace("UTF-8", "ISO-8859-1").encode("latin-1")
    assert paths(read(declared)) == ["/caf%C3%A9"]


@pytest.mark.parametrize("name", ["utf-7", "unicode_escape", "ebcdic", "zlib", "idna", "hex", "rot13"])
def test_encodings_that_are_programs_are_refused(name):  # SM-19, B10
    reading = read(THREE.replace("UTF-8", name))
    assert paths(reading) == ["/a", "/b", "/c"]
    assert [problem.kind for problem in reading.problems] == ["encoding_refused"]


def test_an_index_lists_its_children():  # SM-10
    reading = read(WORDPRESS)
    assert (reading.kind, reading.n_urls, reading.n_sitemaps) == ("index", 0, 8)
    assert all(listing.is_sitemap for listing in reading.listings)


def test_extensions_are_noted_and_their_loc_is_no_page():  # SM-10
    body = f"""{XML}<urlset {NS} xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
      <url><loc>https://example.com/a</loc><lastmod>2024-05-01</lastmod><changefreq>Weekly</changefreq>
        <priority>0.8</priority><image:image><image:loc>https://example.com/a.jpg</image:loc></image:image>
        <video:video><video:content_loc>https://example.com/v.mp4</video:content_loc></video:video>
        <xhtml:link rel="alternate" hreflang="de" href="https://example.com/de/a"/>
        <xhtml:link rel="alternate" hreflang="fr" href="https://example.com/fr/a"/></url>
      <url><loc>https://example.com/b</loc><image><loc>https://example.com/b.jpg</loc></image></url>
      <url><loc>https://example.com/c</loc><news:news><news:title>T</news:title></news:news></url></urlset>"""
    reading = read(body)
    assert paths(reading) == ["/a", "/b", "/c"]
    first = reading.listings[0]
    assert first.lastmod == datetime(2024, 5, 1, tzinfo=UTC)
    assert (first.priority, first.changefreq, first.extensions) == (0.8, "weekly", ("image", "video"))
    assert first.alternates == (("de", "https://example.com/de/a"), ("fr", "https://example.com/fr/a"))
    assert reading.listings[2].extensions == ("news",)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("rss", '<rss version="2.0"><channel><link>https://example.com/</link><item><link>https://example.com/a'
         "</link><pubDate>Wed, 01 May 2024 10:00:00 GMT</pubDate></item><item><guid>https://example.com/b</guid>"
         "</item></channel></rss>"),
        ("atom", '<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://example.com/"/><entry>'
         '<link rel="alternate" href="https://example.com/a"/><link rel="edit" href="https://example.com/e"/>'
         "<updated>2024-05-01T10:00:00Z</updated></entry><entry><link href='https://example.com/b'/></entry></feed>"),
        ("rss", '<rdf:RDF xmlns:rdf="x"><channel rdf:about="https://example.com/"/><item rdf:about="https://'
         'example.com/a"><dc:date>2024-05-01T10:00:00Z</dc:date></item><item><link>https://example.com/b</link>'
         "</item></rdf:RDF>"),
    ],
)  # fmt: skip
def test_feeds_give_the_pages_of_their_items(kind, body):
    reading = read(body, url="https://example.com/feed")
    assert reading.kind == kind
    assert paths(reading) == ["/a", "/b"]
    assert reading.listings[0].lastmod == datetime(2024, 5, 1, 10, tzinfo=UTC)


LAUGHS = "<!DOCTYPE x [" + "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12)) + "]>"


@pytest.mark.timed
@pytest.mark.parametrize(
    "head",
    [
        LAUGHS,
        '<!DOCTYPE x [<!ENTITY a "' + "a" * 100_000 + '">]>',
        '<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE x [<!ENTITY x SYSTEM "http://127.0.0.1:9/x">]>',
        '<!DOCTYPE x [<!ENTITY % p SYSTEM "http://127.0.0.1:9/p"> %p;]>',
        '<!DOCTYPE urlset SYSTEM "http://127.0.0.1:9/remote.dtd">',
        "<!doctype urlset>",
        '<!ENTITY x "y">',
    ],
)
def test_a_document_type_is_refused_without_being_read(head):  # SM-01, SM-02, B10
    body = XML + head + f"<urlset {NS}><url><loc>https://example.com/&x;</loc></url></urlset>"
    for text in (body, body.encode("utf-16"), packed(body.encode())):
        started = process_time()
        reading = read(text)
        assert (reading.refused, reading.listings, reading.n_urls) == ("xml_forbidden", (), 0)
        assert process_time() - started < 1


def test_an_entity_or_an_include_is_text_and_nothing_more():  # SM-02
    inside = THREE.replace("/b", "/&xxe;").replace(
        "</urlset>", '<xi:include href="file:///etc/passwd"/></urlset>'
    )
    reading = read(inside)
    assert paths(reading) == ["/a", "/&xxe;", "/c"]


@pytest.mark.timed
def test_depth_costs_nothing():  # B10
    started = process_time()
    reading = read(f"<urlset {NS}>" + "<x>" * 100_000 + "<url><loc>https://example.com/a</loc></url>")
    assert paths(reading) == ["/a"]
    assert process_time() - started < 1


@pytest.mark.parametrize(
    "body",
    [
        "",
        "   \n",
        "<!DOCTYPE html><html><body>Not found</body></html>",
        "<html><head><title>Log in</title></head></html>",
        '{"error": "not found"}',
        "[]",
        "User-agent: *\nDisallow: /",
        "<?xml version='1.0'?><note>hello</note>",
        "just words, many of them, and no address at all",
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4,
        b"%PDF-1.7 binary",
        packed(b"<html></html>"),
    ],
)
def test_what_is_no_sitemap_is_refused(body):  # SM-17
    reading = read(body)
    assert (reading.refused, reading.listings) == ("not_a_sitemap", ())
    assert reading.problems


def test_foreign_urls_are_marked_and_other_schemes_dropped():  # SM-07, SM-08
    body = "".join(
        f"<url><loc>{loc}</loc></url>"
        for loc in (
            "https://www.example.com/1", "http://example.com:8080/2", "https://shop.example.com/3",
            "https://other.org/4", "http://169.254.169.254/5", "file:///etc/passwd", "javascript:alert(1)",
            "data:text/html,x", "https://user:secret@example.com/6",
        )
    )  # fmt: skip
    reading = read(f"<urlset>{body}</urlset>")
    assert [listing.is_external for listing in reading.listings] == [False, False, False, True, True]
    assert reading.dropped == {"scheme": 3, "user name in the URL": 1}


def test_a_loc_is_decoded_once_and_bounded():  # SM-11
    body = urlset("/?a=1&amp;b=2", "/&amp;amp;", "/raw?a=1&b=2", "/%2e%2e/x", "/ü", "/" + "a" * 10_000)
    reading = read(body)
    assert paths(reading) == ["/?a=1&b=2", "/&amp;", "/raw?a=1&b=2", "/x", "/%C3%BC"]
    assert reading.dropped == {"too long": 1}


def test_characters_that_xml_forbids_are_dropped_and_flagged():  # SM-20
    reading = read(urlset("/a\x00\ufffe", "/b&#xD800;", "/c&#0;"))
    assert paths(reading) == ["/a", "/b", "/c"]
    assert "forbidden_characters" in [problem.kind for problem in reading.problems]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(("nan", None), ("inf", None), ("-1", 0.0), ("1e999", None), ("0,5", 0.5), ("0.8", 0.8), ("7", 1.0)),
        *(("high", None), ("", None), (" 0.3 ", 0.3), ("9" * 50, None)),
    ],
)
def test_a_priority_is_a_number_from_0_to_1_or_nothing(text, number):  # SM-13
    assert priority(text) == number


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-05-01", (2024, 5, 1)),
        ("2024-05", (2024, 5, 1)),
        ("2024", (2024, 1, 1)),
        ("2024-05-01T12:00:00+02:00", (2024, 5, 1, 10)),
        ("2024-05-01T12:00:00Z", (2024, 5, 1, 12)),
        ("2024-05-01 12:00", (2024, 5, 1, 12)),
        ("2024-05-01T12:00:00.123456+0000", (2024, 5, 1, 12)),
        ("Wed, 01 May 2024 10:00:00 GMT", (2024, 5, 1, 10)),
        ("2024/5/1", (2024, 5, 1)),
        *((text, None) for text in ("", "soon", "10000-01-01", "0001-01-01", "2024-13-45", "infinity")),
    ],
)
def test_a_date_is_an_aware_moment_or_nothing(text, expected):
    found = parse_date(text)
    wanted = datetime(*expected, tzinfo=UTC) if expected else None
    assert found is None if wanted is None else found and found.replace(microsecond=0) == wanted


def test_a_hundred_thousand_repeats_are_one_page():  # SM-14
    body = f"<urlset>{'<url><loc>https://example.com/a</loc></url>' * 100_000}</urlset>"
    reading = read(body)
    assert (paths(reading), reading.n_urls, reading.dropped) == (["/a"], 1, {"repeated": 99_999})


def test_a_file_that_ends_early_keeps_its_whole_records():  # SM-16
    whole = urlset(*(f"/{n}" for n in range(3_000)))
    cut = whole[: whole.index("/2999") + 3]
    reader = SitemapReader(HOME)
    found = list(read_entries([cut.encode()], reader))
    assert len(found) == 2_999
    assert reader.is_partial
    assert [problem.kind for problem in reader.problems] == ["truncated"]
    small = packed(whole.encode())
    half = read(small[: len(small) // 2])
    assert 0 < half.n_urls < 3_000
    assert {problem.kind for problem in half.problems} == {"gzip_truncated", "truncated"}
    damaged = small[: len(small) // 2] + b"\xff" * 50 + small[len(small) // 2 + 50 :]
    assert read(damaged).n_urls > 0


def test_limits_stop_the_reading_and_say_so():  # SM-05
    many = urlset(*(f"/{n}" for n in range(100)))
    reading = read(many, max_urls=10)
    assert (reading.n_urls, [problem.kind for problem in reading.problems]) == (10, ["too_many_urls"])
    assert reading.dropped == {"over the limit": 90}
    cut = read(many, max_bytes=1_000)
    assert 0 < cut.n_urls < 100
    assert "too_large" in [problem.kind for problem in cut.problems]


@given(st.binary(max_size=300), st.integers(1, 40))
@settings(max_examples=200, deadline=None)
def test_no_bytes_raise_and_pieces_make_no_difference(junk, size):
    for body in (junk, THREE.encode() + junk, packed(THREE.encode())[:-8] + junk, b"<urlset>" + junk):
        whole = SitemapReader(HOME)
        at_once = list(read_entries([body], whole))
        pieces = SitemapReader(HOME)
        in_pieces = list(read_entries([body[at : at + size] for at in range(0, len(body), size)], pieces))
        if all(problem.kind != "gzip_damaged" for problem in whole.problems):
            assert (at_once, whole.kind, whole.refused) == (in_pieces, pieces.kind, pieces.refused)


PACKED = packed(THREE.encode())
LENGTH = PACKED[-4:]


@pytest.mark.parametrize("size", [1, 7, 1_000_000])
@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        (PACKED[:-8] + b"\0" * 8, ["gzip_checksum"]),
        (PACKED[:-8] + b"\xff" * 8, ["gzip_checksum"]),
        (PACKED[:-8] + b"\x01\x02\x03\x04" + LENGTH, ["gzip_checksum"]),
        (PACKED[:-4] + b"\x01\0\0\0", ["gzip_length"]),
        (PACKED[:-4] + b"\xff" * 4, ["gzip_length"]),
        (PACKED[:-1], ["gzip_truncated"]),
        (PACKED[:-8], ["gzip_truncated"]),
        (PACKED[:-8] + b"\xff" * 300, ["gzip_checksum", "gzip_trailing"]),
        (PACKED + b"<!-- cached -->", ["gzip_trailing"]),
        (PACKED + b"x", ["gzip_trailing"]),
        (PACKED + packed(b"<!-- more -->")[:-8] + b"\0" * 8, ["gzip_checksum"]),
        (packed(PACKED[:-8] + b"\0" * 8), ["gzip_checksum"]),
        (packed(PACKED)[:-8] + b"\0" * 8, ["gzip_checksum"]),
        ((PACKED[:-8] + b"\0" * 8) * 50, ["gzip_checksum"]),
        (PACKED + b"\0" * 3, []),
        (PACKED, []),
    ],
)
def test_a_wrong_end_of_gzip_is_flagged_and_loses_nothing(body, kinds, size):
    reader = SitemapReader(HOME)
    found = read_entries([body[at : at + size] for at in range(0, len(body), size)], reader)
    assert [one.url for one in found] == [f"https://example.com/{name}" for name in "abc"]
    assert [problem.kind for problem in reader.problems] == kinds


SITEMAP_NS = "http://www.sitemaps.org/schemas/sitemap/0.9"
IMAGE_NS = "http://www.google.com/schemas/sitemap-image/1.1"


@pytest.mark.parametrize("prefix", ["sm", "ns0", "s", "SiteMap", "a.b-c_1", "карта"])
@pytest.mark.parametrize("size", [13, 1_000_000])
def test_any_prefix_of_the_elements_is_a_whole_file(prefix, size):
    def reading(root, record):
        records = "".join(
            f"<{prefix}:{record}><{prefix}:loc>https://example.com/{name}</{prefix}:loc>"
            f"<{prefix}:lastmod>2024-05-06</{prefix}:lastmod></{prefix}:{record}>"
            for name in "abc"
        )
        body = f'{XML}<{prefix}:{root} xmlns:{prefix}="{SITEMAP_NS}">{records}</{prefix}:{root}>'.encode()
        reader = SitemapReader(HOME)
        found = list(read_entries([body[at : at + size] for at in range(0, len(body), size)], reader))
        assert [one.url[-1] for one in found] == ["a", "b", "c"]
        assert all(one.lastmod for one in found)
        assert (reader.problems, reader.is_partial) == ([], False)
        return reader.kind

    assert (reading("urlset", "url"), reading("sitemapindex", "sitemap")) == ("urlset", "index")


@pytest.mark.parametrize(
    "body",
    [
        f'<sm:urlset xmlns:sm="{SITEMAP_NS}" xmlns="{IMAGE_NS}"><sm:url><sm:loc>https://example.com/a</sm:loc>'
        "<image><loc>https://example.com/i.png</loc></image></sm:url></sm:urlset>",
        f'<urlset xmlns="{SITEMAP_NS}" xmlns:img="{IMAGE_NS}"><url><img:image><img:loc>https://example.com/i.png'
        "</img:loc></img:image><loc>https://example.com/a</loc></url></urlset>",
        f'<x:urlset xmlns:x="{SITEMAP_NS}" xmlns:y="{IMAGE_NS}"><x:url><x:loc>https://example.com/a</x:loc>'
        "<y:image><y:loc>https://example.com/i.png</y:loc></y:image></x:url></x:urlset >",
        '<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:link href="https://example.com/a"/></a:entry></a:feed>',
        '<r:RDF xmlns:r="x" xmlns:o="y"><o:item><o:link>https://example.com/a</o:link></o:item></r:RDF>',
    ],
)
def test_elements_of_another_namespace_are_told_apart_by_their_prefix(body):
    reading = read(body)
    assert (paths(reading), reading.problems) == (["/a"], ())


def test_a_prefixed_file_without_its_end_is_still_called_truncated():
    body = "<sm:urlset><sm:url><sm:loc>https://example.com/a</sm:loc></sm:url></sm:url"
    assert [problem.kind for problem in read(body).problems] == ["truncated"]


def test_a_gzip_header_with_every_field_is_skipped():
    small = packed(THREE.encode())
    full = small[:3] + b"\x1e" + small[4:10] + b"\x03\x00abc" + b"name\0" + b"comment\0" + b"\x00\x00"
    reader = SitemapReader(HOME)
    body = full + small[10:]
    assert len(list(read_entries([body[at : at + 1] for at in range(len(body))], reader))) == 3
    assert reader.problems == []


def test_paths_begin_with_what_the_builder_uses():
    assert sitemap_paths("TYPO3")[:2] == ("/sitemap.xml", "/?type=1533906435")
    assert sitemap_paths("WordPress")[0] == "/wp-sitemap.xml"
    assert len(set(sitemap_paths())) == len(sitemap_paths()) > 20


def test_a_home_page_names_its_sitemaps():
    html = """<link rel="sitemap" href="/map.xml"><a href='/sitemap_index.xml'>Sitemap</a>
      <a href="https://evil.org/sitemap.xml">x</a><link rel=alternate type=application/rss+xml href=/feed/>
      <script>var sitemapUrl = "https://example.com/s2.xml"</script><a href="/sitemap-of-pages">no</a>"""
    found = find_sitemap_links(html, base="https://example.com/")
    assert [(link.url.removeprefix("https://example.com"), link.how) for link in found] == [
        ("/map.xml", "link"),
        ("/sitemap_index.xml", "anchor"),
        ("/s2.xml", "mention"),
        ("/feed/", "feed"),
    ]


def test_children_with_contacts_come_first():
    names = ["image", "post", "product", "post_tag", "page", "team"]
    children = [f"https://example.com/{name}-sitemap.xml" for name in names]
    assert rank_child_sitemaps(children)[:2] == [children[4], children[5]]
    assert rank_child_sitemaps(children)[-1] == children[0]
    assert rank_child("https://example.com/wp-sitemap-posts-page-1.xml") == 0
