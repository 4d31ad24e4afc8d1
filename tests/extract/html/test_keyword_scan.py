"""Keyword scans name the lines that extractors must read."""

from scrapersky.extract.addresses.extractor import PLACE_NAMES
from scrapersky.extract.html import parse_document
from scrapersky.extract.html.keyword_scan import KeywordMemory
from scrapersky.extract.people.role_lines import find_role_lines


def test_lines_with_keywords_are_found():
    doc = parse_document(
        "<p>Geschäftsführer</p><p>Bunte Wiese</p><p>Tel 12</p><p>Frankreich</p><p>代表 x</p><p>Nairobi</p>"
    )
    role_lines = find_role_lines(doc)
    assert (doc.digits.lines, role_lines.roles, role_lines.east_asian_roles) == ([2], {0, 4}, {4})
    assert doc.scan(PLACE_NAMES) == [{3}, set(), {5}]


def test_a_capital_that_becomes_two_letters_shifts_no_places():
    doc = parse_document("<p>İİİİİİİİİİİİ</p><p>Müdür</p><p>Bunte Wiese</p>")
    assert find_role_lines(doc).roles == {1}


def test_a_scan_runs_once_per_page():
    class Count:
        runs = 0

        def search(self, doc):
            self.runs += 1
            return len(doc.lines)

    doc, count = parse_document("<p>a</p><p>b</p>"), Count()
    assert [doc.scan(count), doc.scan(count), count.runs] == [2, 2, 1]


def test_the_texts_that_hold_a_keyword_are_numbered_by_group():
    memory = KeywordMemory()
    first = memory.add([["manager", "chef"], ["berlin"]])
    second = memory.add([["man"]])
    found = memory.find(["Shop Manager in Berlin", "nothing", "Küchenchef"])
    assert found[first : first + 2] == [{0, 2}, {0}]
    assert found[second] == {0}


def test_a_text_that_was_read_before_is_found_again_beside_new_ones():
    memory = KeywordMemory()
    memory.add([["manager"]])
    assert memory.find(["Manager", "Menu"]) == [{0}]
    assert memory.find(["Menu", "New manager", "Manager", "Manager"]) == [{1, 2, 3}]
    memory.forget()
    assert memory.find(["Menu", "Manager"]) == [{1}]


def test_a_group_that_is_declared_later_is_found_on_texts_read_before():
    memory = KeywordMemory()
    memory.add([["manager"]])
    memory.find(["Manager of Berlin"])
    memory.add([["berlin"]])
    assert memory.find(["Manager of Berlin"]) == [{0}, {0}]
