"""Pages that hurt parsers, by the rows of the catalogue (HTML-01 to HTML-14), made when asked for."""

from __future__ import annotations

from collections.abc import Callable

CONTACT = "<p>office@shop-example.com</p>"


def attributes(count: int) -> str:
    return "<p " + " ".join(f"a{number}=1" for number in range(count)) + f">{CONTACT}</p>"


PAGES: dict[str, Callable[[], str]] = {
    "HTML-01 nested": lambda: "<div>" * 200_000 + CONTACT,
    "HTML-02 attributes": lambda: attributes(40_000),
    "HTML-02 more attributes": lambda: attributes(300_000),
    "HTML-04 unclosed": lambda: "<a><b>" * 20_000 + CONTACT,
    "HTML-04 tables": lambda: "<table><tr><td>" * 5_000 + CONTACT,
    "HTML-04 svg": lambda: "<svg><foreignObject><math><mi>" * 5_000 + CONTACT,
    "HTML-05 links": lambda: "".join(f"<a href=/{number}>x</a>" for number in range(300_000)),
    "HTML-05 same link": lambda: "<a href=/x>x</a>" * 100_000,
    "HTML-07 base": lambda: f'<base href="http://169.254.169.254/"><a href=x>x</a>{CONTACT}',
    "HTML-10 charset": lambda: '<meta charset="utf-7">' + '<meta charset="' + "x" * 100_000 + '">' + CONTACT,
    "HTML-11 marks": lambda: "a" + "\u0301" * 10_000 + "&#0;&#xD800;&#x110000;\u202e\uffff" + CONTACT,
    "HTML-13 persons": lambda: '<div class="vcard"><span class="fn">A B</span></div>' * 10_000,
    "HTML-14 zeros": lambda: "\0" * 5_000_000,
    "HTML-14 pdf": lambda: "%PDF-1.7\n" + "\x01\x02" * 100_000,
    "HTML-16 letters": lambda: "a" * 1_000_000 + "@" + "b" * 1_000_000,
    "comments": lambda: "<!--" * 200_000,
    "entities": lambda: "&amp;&lt;&#x41;" * 200_000,
    "numbers": lambda: "+49 " + "1234 " * 200_000,
}
