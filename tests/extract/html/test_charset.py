"""The charset of a page is chosen as a browser chooses it (RELIABILITY B20)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapersky.extract.html.charset import charset_of, codec_for, decode_html

META = b'<meta charset="%s"><p>'
HTTP_EQUIV = b'<meta http-equiv="Content-Type" content="text/html; charset=%s"><p>'


@pytest.mark.parametrize(
    ("body", "content_type", "codec"),
    [
        (b"\xef\xbb\xbf" + META % b"windows-1251", "text/html; charset=iso-8859-2", "utf-8"),
        ("\ufeffhé".encode("utf-16-le"), "text/html; charset=utf-8", "utf-16-le"),
        ("\ufeffhé".encode("utf-16-be"), "", "utf-16-be"),
        (META % b"utf-8", "text/html; charset=windows-1250", "cp1250"),
        (META % b"utf-8", 'text/html;charset="Shift_JIS"', "cp932"),
        (META % b"utf-8", "text/html; charset=unknown-thing", "utf-8"),
        (b"plain", "text/html; charset=unknown-thing", "cp1252"),
        (META % b"iso-8859-1", "", "cp1252"),
        (META % b"latin1", "", "cp1252"),
        (META % b"us-ascii", "", "cp1252"),
        (META % b"ISO-8859-9", "", "cp1254"),
        (META % b"gb2312", "", "gb18030"),
        (META % b"gbk", "", "gb18030"),
        (META % b"big5", "", "big5hkscs"),
        (META % b"euc-kr", "", "cp949"),
        (META % b"ks_c_5601-1987", "", "cp949"),
        (META % b"x-sjis", "", "cp932"),
        (META % b"euc-jp", "", "euc_jp"),
        (META % b"koi8-r", "", "koi8-r"),
        (META % b"tis-620", "", "cp874"),
        (META % b"utf-16", "", "utf-8"),
        (META % b"utf-16le", "", "utf-8"),
        (META % b"x-user-defined", "", "cp1252"),
        (META % b"utf-7", "", "cp1252"),
        (META % b"zlib", "", "cp1252"),
        (META % b"idna", "", "cp1252"),
        (META % b"undefined", "", "cp1252"),
        (META % b"rot13", "", "cp1252"),
        (META % b"unicode_escape", "", "cp1252"),
        (META % b"utf-8\0", "", "cp1252"),
        (META % (b"a" * 100_000), "", "utf-8"),
        (META % b"hz-gb-2312", "", "replacement"),
        (HTTP_EQUIV % b"windows-1257", "", "cp1257"),
        (HTTP_EQUIV % b"utf8", "", "utf-8"),
        (b"<META CHARSET=KOI8-U>", "", "koi8-u"),
        (b"<!-- <meta charset=koi8-r> --><meta charset=cp1251>", "", "cp1251"),
        (b'<?xml version="1.0" encoding="iso-8859-2"?><html>', "", "iso8859-2"),
        ("Grüße".encode(), "", "utf-8"),
        ("Grüße".encode("cp1252"), "", "cp1252"),
        ("Grüße".encode()[:-3], "", "utf-8"),
        ("<html>Grüße".encode("utf-16-le"), "", "utf-16-le"),
        (b"", "", "utf-8"),
    ],
)
def test_the_charset_is_the_one_a_browser_takes(body, content_type, codec):
    assert charset_of(body, content_type=content_type) == codec


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("iso-8859-2", "Zażółć"),
        ("windows-1250", "Příliš žluťoučký"),
        ("windows-1251", "Привет"),
        ("koi8-r", "Привет"),
        ("koi8-u", "Їжак"),
        ("ibm866", "Привет"),
        ("iso-8859-5", "Привет"),
        ("windows-1253", "Γειά"),
        ("iso-8859-7", "Γειά"),
        ("windows-1254", "İstanbul ğ"),
        ("windows-1255", "שלום"),
        ("iso-8859-8-i", "שלום"),
        ("windows-1256", "مرحبا"),
        ("windows-1257", "Ąžuolas"),
        ("windows-1258", "Viêt"),
        ("iso-8859-15", "10 €"),
        ("windows-874", "สวัสดี"),
        ("shift_jis", "東京"),
        ("euc-jp", "東京"),
        ("iso-2022-jp", "東京"),
        ("gbk", "北京"),
        ("big5", "台北"),
        ("euc-kr", "서울"),
        ("macintosh", "Élan"),
    ],
)
def test_a_page_in_any_charset_reads_as_written(label, text):
    body = text.encode(codec_for(label))
    assert decode_html(body, content_type=f"text/html; charset={label}")[0] == text
    assert decode_html(META % label.encode() + body)[0].endswith(text)


def test_text_is_decoded_and_the_mark_is_dropped():
    assert decode_html("\ufeffGrüße".encode()) == ("Grüße", "utf-8")
    assert decode_html("Łódź".encode("cp1250"), content_type="text/html; charset=windows-1250")[0] == "Łódź"
    assert decode_html("東京".encode("cp932"), content_type="text/html; charset=shift_jis")[0] == "東京"


def test_replacement_charsets_show_nothing_of_the_page():
    assert decode_html(b"<script>", content_type="text/html; charset=iso-2022-kr")[0] == "\ufffd"


def test_a_label_is_found_whatever_its_case_and_blanks():
    assert codec_for(" UTF-8\n") == "utf-8"
    assert codec_for("x" * 100) is None


@given(st.binary(max_size=300), st.text(max_size=60))
def test_decoding_never_raises(body, label):
    text, _ = decode_html(body, content_type=f"text/html; charset={label}")
    assert isinstance(text, str)
    decode_html(META % label.encode("utf-8", "replace") + body)
