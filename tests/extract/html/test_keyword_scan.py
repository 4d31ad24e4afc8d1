"""Keyword scans name the lines that extractors must read."""

from scrapersky.extract.addresses.extractor import PLACE_NAMES
from scrapersky.extract.html import parse_document
from scrapersky.extract.people.role_lines import find_role_lines


def test_lines_with_keywords_are_found():
    doc = parse_document(
        "<p>Geschäftsführer</p><p>Bunte Wiese</p><p>Tel 12</p><p>Frankreich</p><p>代表 x</p><p>Nairobi</p>"
    )
    role_lines = find_role_lines(doc)
    assert (doc.digits.lines, role_lines.roles, role_lines.east_asian_roles) == ([2], {0, 4}, {4})
    assert doc.scan(PLACE_NAMES) == [{3}, set(), {5}]


def test_every_line_counts_where_lower_case_changes_the_number_of_letters():
    doc = parse_document("<p>İstanbul</p><p>Bunte Wiese</p>")
    assert find_role_lines(doc).roles == {0, 1}


def test_a_scan_runs_once_per_page():
    class Count:
        runs = 0

        def search(self, doc):
            self.runs += 1
            return len(doc.lines)

    doc, count = parse_document("<p>a</p><p>b</p>"), Count()
    assert [doc.scan(count), doc.scan(count), count.runs] == [2, 2, 1]
