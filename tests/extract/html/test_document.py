"""A page is parsed once, into text with positions, links, metas and things."""

import time

import ada_url
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapersky.extract.html import parse_document, visible_text
from scrapersky.extract.html.document import _link
from scrapersky.extract.text import clean_text
from scrapersky.extract.text.cleanup import make_storable, strip_invisible


def test_blocks_lines_and_cells_are_separated():
    doc = parse_document(
        "<p>One<br>two</p><table><tr><td>a</td><td>b</td></tr></table><div>in<b>si</b>de</div>"
    )
    assert doc.text == "One\ntwo\na\tb\ninside"
    assert [line.tag for line in doc.lines] == ["p", "p", "td", "td", "div"]


def test_every_line_stands_at_its_place_in_the_text():
    doc = parse_document("<h1 class='big x'>Héllo</h1> tail <ul><li>1<li>2</ul><pre>a  b</pre>")
    assert all(doc.text[line.start :].startswith(line.text) for line in doc.lines)
    assert doc.lines[0].classes == "big x"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("a<script>x()</script><style>p{}</style><template>t</template>b", "ab"),
        ("in<span style='display: none'>filler</span>fo", "info"),
        ("soft&shy;hyphen zero&#8203;width", "softhyphen zerowidth"),
        ("a&nbsp;&nbsp; b\n\t c", "a b c"),
        ("<a href=x>one</a><a href=y>two</a>", "one two"),
        ("<b>one</b> <i>two</i>\n<u><em>three</em></u>", "one two three"),
        ("<b>one<i>\n</i></b>two<img> <img>three", "one two three"),
        ("one<script src=x> </script>two<!-- c --> <!-- d -->three", "onetwo three"),
        ("<a href=x>one</a> <a href=y>two</a><p> </p>three", "one two\nthree"),
        ("<select><option>+49</option></select>x", "x"),
        ("a\x00b&#0;c&#xD800;d", "abc\ufffdd".replace("c\ufffd", "\ufffdc\ufffd")),
        ("\u202eabc\ufeff", "abc"),
    ],
)
def test_the_text_is_what_a_reader_sees(html, text):
    assert parse_document(html).text == text


def test_links_are_absolute_and_know_their_zone():
    html = (
        "<header><a href='/home'>Home</a></header><nav><a href='a.html' title='T' rel=nofollow>A</a></nav>"
        "<div class='site-footer'><ul><li><a href='//x.org/'>X</a></ul></div>"
        "<a href='mailto:a@b.de'>m</a><a>none</a>"
    )
    doc = parse_document(html, url="https://firma.de/de/index.html")
    assert [(link.href, link.zone) for link in doc.links] == [
        ("https://firma.de/home", "header"),
        ("https://firma.de/de/a.html", "nav"),
        ("https://x.org/", "footer"),
        ("mailto:a@b.de", "main"),
    ]
    assert doc.links[1].title == "T"
    assert doc.links[1].rel == "nofollow"


@pytest.mark.parametrize("base", ["http://169.254.169.254/", "javascript:alert(1)", "https://evil.org/"])
def test_a_base_on_another_host_is_ignored(base):
    doc = parse_document(f"<base href='{base}'><a href='x'>x</a>", url="https://firma.de/a/")
    assert doc.links[0].href == "https://firma.de/a/x"


@given(
    st.sampled_from(
        ["https://firma.de/de/index.html", "http://Firma.de:80", "https://firma.de/a/../b/?x=/y/#z/z",
         "https://bücher.de/%7Ea/é;b/c", "http://u:p@firma.de//a//b", "http://[::1]/a/b", "https://firma.de?x"]
    ),
    st.text(st.sampled_from("ab1_-./?#=&%~ é"), min_size=1, max_size=12),
)  # fmt: skip
@settings(max_examples=1_000)
def test_a_relative_link_leads_where_a_browser_would_go(url, href):
    """The plain ones are put together without the library that resolves all the others."""
    link = _link(href.strip(), None, url)
    if href.strip() and not href.strip().startswith(("//", "#")):
        assert link.href == ada_url.join_url(url, href.strip())


def test_a_relative_base_counts():
    doc = parse_document("<base href='/shop/'><a href='x'>x</a>", url="https://firma.de/a/")
    assert doc.links[0].href == "https://firma.de/shop/x"


def test_metas_title_and_language_are_read():
    doc = parse_document(
        "<html lang=de-AT><title> A\n B </title><meta name=Description content=d>"
        "<meta property=og:url content=u>"
    )
    assert (doc.title, doc.lang) == ("A B", "de-AT")
    assert doc.metas == {"description": "d", "og:url": "u"}


@pytest.mark.timed
def test_deep_nesting_is_flattened_and_flagged_and_its_text_kept():
    started = time.process_time()
    doc = parse_document("<div>" * 200_000 + "info@firma.de" + "</div>" * 200_000)
    assert time.process_time() - started < 6
    assert "info@firma.de" in doc.text
    assert doc.truncated


@pytest.mark.timed
@pytest.mark.parametrize("count", [40_000, 300_000])
def test_a_tag_with_too_many_attributes_is_stripped_and_flagged(count):
    started = time.process_time()
    html = "<p " + " ".join(f"a{number}=1" for number in range(count)) + ">text</p>"
    doc = parse_document(html[: 5 * 1024 * 1024 - 20] + ("" if len(html) < 5_000_000 else ">text</p>"))
    assert time.process_time() - started < 6
    assert doc.truncated


def test_a_long_data_address_is_not_taken_for_attributes():
    doc = parse_document("<img src='data:image/png;base64," + "A" * 200_000 + "'><p>text</p>")
    assert doc.text == "text"
    assert not doc.truncated


def test_links_beyond_the_cap_are_dropped_and_flagged():
    doc = parse_document("<a href=x>y</a>" * (visible_text.MAX_LINKS + 100))
    assert len(doc.links) == visible_text.MAX_LINKS
    assert doc.truncated


@pytest.mark.timed
@pytest.mark.parametrize(
    "html",
    [
        "<a><b>" * 20_000,
        "<table>" * 5_000,
        "<svg><foreignObject>" * 3_000,
        "<option>" * 100_000,
        "<" * 1_000_000,
        "&amp;" * 200_000,
        "\0" * 1_000_000,
    ],
)
def test_hostile_pages_end_in_time(html):
    started = time.process_time()
    parse_document(html)
    assert time.process_time() - started < 6


@given(st.binary(max_size=2_000))
@settings(max_examples=200)
def test_any_bytes_make_a_document(body):
    doc = parse_document(body, url="https://firma.de/")
    doc.text.encode("utf-8")
    assert all(doc.text[line.start :].startswith(line.text) for line in doc.lines)


@given(st.text(alphabet=st.characters(), max_size=300))
def test_cleaned_text_can_be_stored_and_stays_as_it_is(text):
    assert "\0" not in make_storable(text)
    make_storable(text).encode("utf-8")
    assert make_storable(make_storable(text)) == make_storable(text)
    assert clean_text(clean_text(text)) == clean_text(text)
    assert strip_invisible(strip_invisible(text)) == strip_invisible(text)


def test_a_tower_of_marks_is_cut_down():
    assert len(clean_text("a" + "\u0301" * 10_000)) < 20
