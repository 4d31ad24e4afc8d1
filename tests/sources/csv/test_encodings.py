"""Files in the encodings of the world: guessed, told, and never read as nonsense because of one byte."""

from __future__ import annotations

import pytest

from scrapersky.sources.csv.decoder import InvalidCSV, read_text_lines
from scrapersky.sources.csv.encodings import guess_legacy
from scrapersky.sources.csv.rows import read_rows

TEXTS = {
    "cp1252": ["Müller & Söhne,Köln", "Café Zoë,Genève", "Peña Hermanos,Málaga", "Smørrebrød ApS,København"],
    "cp1250": ["Zażółć gęślą jaźń,Łódź", "Dvořák a syn,Plzeň", "Řezníček,Ústí", "Kovács fűtő,Győr", "Gdańsk"],
    "cp1251": ["ООО Ромашка,Москва", "Иванов и сыновья,Казань", "Київ Хліб,Львів", "пекарня"],
    "koi8-u": ["ООО Ромашка,Москва", "Иванов и сыновья,Казань", "пекарня на углу"],
    "cp1254": ["Güneş Fırını,İstanbul", "Yıldız Eczanesi,Diyarbakır", "Şişli Kuaför"],
    "cp1253": ["Αρτοποιείο Παπαδόπουλος,Αθήνα", "Θεσσαλονίκη"],
    "cp1255": ["מאפיית ירושלים,תל אביב"],
    "cp1256": ["مخبز القاهرة,القاهرة"],
    "cp1257": ["Žemaitė,Šiauliai", "Ąžuolas ir ėglė,Panevėžys"],
    "shift_jis": ["田中歯科医院,東京都", "さくらベーカリー,大阪市", "株式会社山田,横浜"],
    "euc_jp": ["さくらベーカリー,大阪市", "株式会社やまだ商店,横浜"],
    "gbk": ["北京面包店,北京市朝阳区", "上海牙科诊所,上海", "张三有限公司,广州"],
    "big5": ["台北麵包店,臺北市", "陳牙醫診所,高雄", "王小明"],
    "euc_kr": ["서울빵집,서울특별시", "김치과의원,부산광역시"],
    "utf-16-le": ["Müller,Köln", "Dvořák,Plzeň"],
    "utf-16": ["田中歯科医院,東京都", "ООО Ромашка,Москва"],
}


def cells(data: bytes, **options: str) -> list[tuple[str, ...]]:
    return [row.cells for row in read_rows([data], **options)]


@pytest.mark.parametrize(
    ("encoding", "line"), [(name, line) for name, lines in TEXTS.items() for line in lines]
)
def test_a_single_line_of_another_encoding_is_read(encoding: str, line: str) -> None:
    text = f"name,city,website\n{line},shop.com\n"
    assert cells(text.encode(encoding))[1] == (*line.split(","), "shop.com")


@pytest.mark.parametrize("encoding", ["cp1250", "cp1251", "shift_jis", "gbk", "big5", "euc_kr", "cp1254"])
def test_a_whole_file_is_read_with_its_encoding_and_a_guess_is_called_one(encoding: str) -> None:
    lines = TEXTS[encoding]
    rows = read_rows([("name,city\n" + "\n".join(lines * 5)).encode(encoding)])
    assert [row.cells for row in rows][1:] == [tuple(line.split(",")) for line in lines * 5]
    assert rows.encoding in rows.assumed
    assert rows.is_sure or "--encoding" in rows.assumed


@pytest.mark.parametrize(
    ("label", "codec"),
    [("cp1250", "cp1250"), ("windows-1251", "cp1251"), ("Shift_JIS", "cp932"), ("gbk", "gb18030"),
     ("latin-1", "latin-1"), ("iso-8859-2", "iso8859-2"), ("UTF-16LE", "utf-16-le"), ("koi8-r", "koi8-r"),
     ("utf-8-sig", "utf-8"), ("utf-8-sig", "utf-8-sig")],
)  # fmt: skip
def test_the_encoding_that_people_choose_is_taken(label: str, codec: str) -> None:
    word = {"cp1251": "Жук", "koi8-r": "Жук", "cp932": "田中", "gb18030": "张三", "latin-1": "Peña"}.get(
        codec, "Köln"
    )
    rows = read_rows([f"name,city\n{word},x\n".encode(codec)], encoding=label)
    assert [row.cells for row in rows][1] == (word, "x")
    assert (rows.is_sure, rows.notes) == (True, [])


@pytest.mark.parametrize("label", ["nonsense", "zlib", "rot13", "utf-7", "idna", "hex", "x" * 5_000])
def test_an_unknown_encoding_is_refused_by_name(label: str) -> None:
    with pytest.raises(InvalidCSV, match="unknown encoding"):
        read_rows([b"a,b"], encoding=label)


def test_a_mark_that_says_otherwise_is_not_overruled() -> None:
    with pytest.raises(InvalidCSV, match="marked as utf-8, but cp1250 was chosen"):
        read_rows([b"\xef\xbb\xbfa,b"], encoding="cp1250")


@pytest.mark.parametrize("bad", [b"\xff", b"\xe9", b"\x80", b"\xfc", b"\xc3"])
@pytest.mark.parametrize("at", [0, 3, 7])
def test_one_bad_byte_costs_no_other_line_and_is_named_with_its_place(bad: bytes, at: int) -> None:
    lines = [
        "Müller,Köln",
        "Dvořák,Plzeň",
        "田中,東京",
        "Жук,Москва",
        "Peña,Málaga",
        "Łoś,Łódź",
        "Ömer,İzmir",
        "é,è",
    ]
    raw = [line.encode() for line in lines]
    raw[at] = b"x" + bad + b"y " + raw[at]
    rows = read_rows([b"name,city\n" + b"\n".join(raw)])
    found = [row.cells for row in rows][1:]
    assert rows.encoding == "utf-8"
    assert [cell for number, cell in enumerate(found) if number != at] == [
        tuple(line.split(",")) for number, line in enumerate(lines) if number != at
    ]
    assert ",".join(found[at]).endswith(lines[at])
    [(number, note)] = rows.notes
    assert (number, note.split(";")[0]) == (at + 2, f"byte 2 ({bad[0]:#04x}) is not utf-8")


def test_a_line_of_another_encoding_within_utf8_is_read_as_that_one() -> None:
    data = "name\nМосква\nКазань\n".encode() + "пекарня".encode("cp1251")
    rows = read_rows([data])
    assert [row.cells for row in rows][-1] == ("пекарня",)
    assert rows.notes == [(4, "byte 1 (0xef) is not utf-8; the line was read as cp1251")]


def test_bytes_that_the_chosen_encoding_does_not_have_are_replaced_and_named() -> None:
    rows = read_rows([b"name,city\nA,\x81\x20B\nok,ok"], encoding="cp932")
    assert [row.cells for row in rows][2] == ("ok", "ok")
    assert [number for number, _ in rows.notes] == [2]


def test_websites_distinguish_encodings_that_letters_cannot() -> None:
    czech, danish = "Dvořák,dvorak.cz\nBeran,beran.cz\n", "Søren,soren.dk\nJensen,jensen.dk\n"
    assert guess_legacy(czech.encode("cp1250")).encoding == "cp1250"
    assert guess_legacy(danish.encode("cp1252")).encoding == "cp1252"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_plain_lines_are_read_in_any_encoding(encoding: str) -> None:
    assert read_text_lines("a.com\n\nmüller.de\r\n# x".encode(encoding)) == ["a.com", "", "müller.de", "# x"]
