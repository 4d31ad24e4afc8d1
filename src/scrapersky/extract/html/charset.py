"""Chooses the charset of a page as a browser does, and decodes it without ever raising."""

from __future__ import annotations

import re

_BY_CODEC = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    "cp866": "866 cp866 csibm866 ibm866",
    "iso8859-2": "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
    "iso8859-3": "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
    "iso8859-4": "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
    "iso8859-5": "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5"
    " iso_8859-5:1988",
    "iso8859-6": "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e"
    " iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
    "iso8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597"
    " iso_8859-7 iso_8859-7:1987 sun_eu_greek",
    "iso8859-8": "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598"
    " iso_8859-8 iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical",
    "iso8859-10": "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso8859-13": "iso-8859-13 iso8859-13 iso885913",
    "iso8859-14": "iso-8859-14 iso8859-14 iso885914",
    "iso8859-15": "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
    "iso8859-16": "iso-8859-16",
    "koi8-r": "cskoi8r koi koi8 koi8-r koi8_r",
    "koi8-u": "koi8-ru koi8-u",
    "mac-roman": "csmacintosh mac macintosh x-mac-roman",
    "cp874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    "cp1250": "cp1250 windows-1250 x-cp1250",
    "cp1251": "cp1251 windows-1251 x-cp1251",
    "cp1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591"
    " iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252",
    "cp1253": "cp1253 windows-1253 x-cp1253",
    "cp1254": "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5"
    " latin5 windows-1254 x-cp1254",
    "cp1255": "cp1255 windows-1255 x-cp1255",
    "cp1256": "cp1256 windows-1256 x-cp1256",
    "cp1257": "cp1257 windows-1257 x-cp1257",
    "cp1258": "cp1258 windows-1258 x-cp1258",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "gb18030": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk gb18030",
    "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc_jp": "cseucpkdfmtjapanese euc-jp x-euc-jp",
    "iso2022_jp": "csiso2022jp iso-2022-jp",
    "cp932": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
    "cp949": "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601"
    " windows-949",
    "replacement": "csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr replacement",
    "utf-16-be": "unicodefffe utf-16be",
    "utf-16-le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
    "x-user-defined": "x-user-defined",
}
_CODECS = {label: codec for codec, labels in _BY_CODEC.items() for label in labels.split()}
DEFAULT = "cp1252"
_PRESCAN = 4096
_LABEL_LIMIT = 64

_HEADER = re.compile(r"""charset\s*=\s*["']?\s*([^\s;"',]{1,64})""", re.I)
_COMMENT = re.compile(rb"<!--.*?-->", re.S)
_META = re.compile(rb"<meta[\s/][^>]{0,1000}>", re.I)
_META_CHARSET = re.compile(rb"""[\s/"']charset\s*=\s*["']?\s*([^\s"'/>;]{1,100})""", re.I)
_META_CONTENT = re.compile(rb"""content\s*=\s*["']?[^"'>]{0,200}?charset\s*=\s*([^\s"'/>;]{1,100})""", re.I)
_XML = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([^"'>]{1,64})""", re.I)
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16-be"), (b"\xff\xfe", "utf-16-le"))
_USER_DEFINED = {byte: 0xF700 + byte for byte in range(0x80, 0x100)}


def codec_for(label: str) -> str | None:
    """The codec a browser uses for a charset label; None for labels it does not know."""
    return _CODECS.get(label.strip(" \t\n\f\r").lower()) if len(label) <= _LABEL_LIMIT else None


def charset_of(body: bytes, *, content_type: str = "") -> str:
    """The codec of a page: byte order mark, then header, then meta, then what the bytes look like."""
    for mark, codec in _BOMS:
        if body.startswith(mark):
            return codec
    declared = _HEADER.search(content_type[:1000]) if content_type else None
    codec_by_header = codec_for(declared.group(1)) if declared else None
    if codec_by_header:
        return codec_by_header
    label = _label_in_head(body)
    if label is not None:
        codec = codec_for(label) or DEFAULT
        if codec == "x-user-defined":
            return DEFAULT
        return "utf-8" if codec.startswith("utf-16") else codec
    if declared:
        return DEFAULT
    return _guess(body)


def _label_in_head(body: bytes) -> str | None:
    """The charset a meta element or XML declaration in the first bytes names."""
    head = body[:_PRESCAN]
    xml = _XML.match(head)
    for tag in _META.finditer(_COMMENT.sub(b"", head) if b"<!--" in head else head):
        meta = tag.group()
        match = _META_CONTENT.search(meta) if b"content" in meta.lower() else None
        match = match or _META_CHARSET.search(meta)
        if match:
            return match.group(1).decode("latin-1")
    return xml.group(1).decode("latin-1") if xml else None


def _guess(body: bytes) -> str:
    """UTF-8 when the bytes are valid in it, UTF-16 by its zero bytes, else the browser's default."""
    head = body[:1000]
    if len(head) >= 8 and head[0] == 0x3C and head.count(0) * 3 > len(head) and head[1] == 0:
        return "utf-16-le"
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as fault:
        cut_at_end = fault.start >= len(body) - 4 and fault.reason == "unexpected end of data"
        return "utf-8" if cut_at_end else DEFAULT
    return "utf-8"


def decode_html(body: bytes, *, content_type: str = "") -> tuple[str, str]:
    """The text of a body and the codec it was read with; undecodable bytes become U+FFFD."""
    codec = charset_of(body, content_type=content_type)
    for mark, marked in _BOMS:
        if codec == marked and body.startswith(mark):
            body = body[len(mark) :]
    if codec == "replacement":
        return ("\ufffd" if body else ""), codec
    if codec == "x-user-defined":
        return body.decode("latin-1").translate(_USER_DEFINED), codec
    return body.decode(codec, "replace"), codec
