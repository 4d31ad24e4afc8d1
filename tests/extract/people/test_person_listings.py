"""People known by the structure of the page: cards, tables, lists and headings, in many scripts."""

from __future__ import annotations

import re

import pytest

from scrapersky.extract.page import read_page
from scrapersky.extract.people.name_pattern import read_shape
from scrapersky.extract.people.people_headings import read_group
from scrapersky.extract.results import Hints, Person

# Language, heading of the team, heading of an office, and three names with what they do; neither the names
# nor the roles need to be in any list.
TEAMS = {
    "en": (
        "Our team",
        "Trustees",
        [("Ophira Lane", "Bookings"), ("Tom Baker", "Head of Kitchen"), ("Quill Marlow", "Welfare")],
    ),
    "de": (
        "Unser Team",
        "Vorstand",
        [("Notburga Zirm", "Disposition"), ("Jens Koch", "Werkstatt"), ("Urte Hethur", "Empfang")],
    ),
    "fr": (
        "Notre équipe",
        "Bureau",
        [("Maëlys Coudert", "Accueil"), ("Théo Lemarié", "Pôle jeunesse"), ("Anouck Vial", "Boulange")],
    ),
    "es": (
        "Nuestro equipo",
        "Junta directiva",
        [("Nidia Roselló", "Taller"), ("Lucas Colomer", "Ventas"), ("Petrona Juliá", "Obra")],
    ),
    "sv": (
        "Styrelsen",
        "Ledamöter",
        [("Elin Sandberg", "Klubbmästare"), ("Tord Ekvall", "Kansli"), ("Märta Lindh", "Materialare")],
    ),
    "hu": (
        "Csapatunk",
        "Kuratórium",
        [("Varju Zoltán", "fogtechnikus"), ("Pandur Eszter", "recepciós"), ("Kis Hanga", "oktató")],
    ),
    "cs": (
        "Náš tým",
        "Výbor",
        [("Radim Svoboda", "Fakturace"), ("Květa Horáková", "Recepce"), ("Jiří Malý", "Mistr")],
    ),
    "tr": (
        "Ekibimiz",
        "Yönetim kurulu",
        [("Telim Yıldırım", "Usta"), ("Günşen Akgündüz", "Muhasebe"), ("Ayşe Türk", "Satış")],
    ),
    "ru": (
        "Наша команда",
        "Правление",
        [("Фёкла Соколова", "Завхоз"), ("Лев Тихий", "Мастер участка"), ("Ирина Громова", "Приёмная")],
    ),
    "el": (
        "Η ομάδα μας",
        "Διοικητικό συμβούλιο",
        [("Νεφέλη Παππά", "Πωλήσεις"), ("Άρης Μαυρίδης", "Αποθήκη"), ("Ελένη Λάσκαρη", "Γραμματεία")],
    ),
    "ar": (
        "فريقنا",
        "مجلس الإدارة",
        [("خالد الشمري", "خدمة العملاء"), ("ريم القحطاني", "محاسبة"), ("ماجد العنزي", "مدير المشاريع")],
    ),
    "he": (
        "הצוות שלנו",
        "הנהלה",
        [("יעל ברקת", "מכירות"), ("אורי שדה", "מנהל עבודה"), ("מיכל גפן", "מזכירה")],
    ),
    "hi": (
        "हमारी टीम",
        "प्रबंध समिति",
        [("सुनीता वर्मा", "बिक्री"), ("राकेश यादव", "प्रबंधक"), ("पूजा मिश्रा", "लेखाकार")],
    ),
    "th": (
        "ทีมงานของเรา",
        "คณะกรรมการ",
        [("สมชาย ใจดี", "ฝ่ายขาย"), ("ศิริพร แสงทอง", "วิศวกร"), ("อนันต์ ชัยมงคล", "บัญชี")],
    ),
    "ja": ("スタッフ紹介", "役員", [("佐藤 健一", "現場監督"), ("高橋美咲", "受付"), ("中村 翔太", "講師")]),
    "zh": ("我们的团队", "董事会", [("王小明", "工程师"), ("李雪梅", "前台"), ("陈志强", "销售部")]),
    "ko": ("팀 소개", "이사회", [("김민준", "엔지니어"), ("박서연", "안내"), ("최지훈", "영업부")]),
}

LAYOUTS = {
    "cards": lambda rows: "".join(f"<div class=c><h3>{n}</h3><p>{r}</p><p>{m}</p></div>" for n, r, m in rows),
    "lines": lambda rows: "".join(f"<p><b>{n}</b><br>{r}<br>{m}</p>" for n, r, m in rows),
    "table": lambda rows: (
        f"<table>{''.join(f'<tr><td>{n}</td><td>{r}</td><td>{m}</td></tr>' for n, r, m in rows)}</table>"
    ),
    "role first": lambda rows: (
        f"<table>{''.join(f'<tr><td>{r}</td><td>{n}</td><td>{m}</td></tr>' for n, r, m in rows)}</table>"
    ),
    "role as heading": lambda rows: "".join(f"<h4>{r}</h4><p>{n}</p><p>{m}</p>" for n, r, m in rows),
    "role as label": lambda rows: "".join(f"<p>{r}: {n}</p><p>{m}</p>" for n, r, m in rows),
    "dash": lambda rows: "".join(f"<li>{n} – {r} – {m}</li>" for n, r, m in rows),
}


def people(body: str, *, url: str = "") -> tuple[Person, ...]:
    return read_page(f"<html><body>{body}</body></html>", Hints(None, "havnlund.com", url)).people


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("language", TEAMS)
def test_names_roles_and_addresses_of_a_team_are_read_in_every_layout(language: str, layout: str) -> None:
    team, _, members = TEAMS[language]
    rows = [(name, role, f"k{number}x@havnlund.com") for number, (name, role) in enumerate(members)]
    found = people(f"<h2>{team}</h2>{LAYOUTS[layout](rows)}")
    assert [(p.name, p.role, p.email) for p in found] == rows


@pytest.mark.parametrize("language", TEAMS)
def test_names_below_a_heading_have_its_office(language: str) -> None:
    _, office, members = TEAMS[language]
    names = [name for name, _ in members]
    expected = [(name, office) for name in names]
    for body in (
        f"<h3>{office}</h3><ul><li>{'</li><li>'.join(names)}</li></ul>",
        f"<h3>{office}</h3><p>{', '.join(names)}</p>",
        f"<p>{office}: {', '.join(names)}</p>",
        f"<table><tr><td>{office}</td><td>{'<br>'.join(names)}</td></tr></table>",
    ):
        assert [(p.name, p.role) for p in people(body)] == expected, body


def test_names_in_capitals_are_read_in_a_team() -> None:
    body = "<h2>Our team</h2>" + "".join(
        f"<div><h4>{name}</h4><p>Bookings</p></div>" for name in ("OPHIRA LANGE", "QUILL MARLOW", "TOM HALE")
    )
    assert [p.name for p in people(body)] == ["Ophira Lange", "Quill Marlow", "Tom Hale"]


def test_a_label_above_a_list_gives_its_role_and_a_workplace_is_none() -> None:
    body = (
        "<p>Research Associate:</p><ul><li>Zoe Schubert, University of Lund | zoe.schubert@havnlund.com</li>"
        "<li>Karl Hain (IT)</li></ul><p>Research Assistants:</p><ul><li>Nils Berg, Lund College</li></ul>"
    )
    assert [(p.name, p.role) for p in people(body)] == [
        ("Zoe Schubert", "Research Associate"),
        ("Karl Hain", "Research Associate"),
        ("Nils Berg", "Research Assistants"),
    ]


def test_an_office_before_every_name_is_the_role() -> None:
    body = "".join(
        f"<h2>{line}</h2>"
        for line in (
            "Notarassessorin Simone Lutz",
            "Notarangestellte Ulrike Kern",
            "Notarangestellte Yelda Yel",
            "Notarangestellte Eva Roth",
        )
    )
    assert [(p.name, p.role) for p in people(body)] == [
        ("Simone Lutz", "Notarassessorin"),
        ("Ulrike Kern", "Notarangestellte"),
        ("Yelda Yel", "Notarangestellte"),
        ("Eva Roth", "Notarangestellte"),
    ]


@pytest.mark.parametrize(
    "body",
    [
        "<p>Ines Rzan</p><p>Fon: +49 178 536 30 19</p><p>info@havnlund.com</p>",
        "<li>Sarah Baker Reg.Mem.BACP</li><li>Telephone: +44 20 7946 0958</li>",
        "<p>Please contact Sarah Baker on +44 20 7946 0958.</p>",
        "<p>Sarah Baker, Lindenweg 5, 04109 Leipzig</p>",
        "<p>c/o Sarah Baker</p><p>Lindenweg 5</p><p>04109 Leipzig</p>",
        "<p>Bäckerei Sarah Baker</p><p>Lindenweg 5</p><p>04109 Leipzig</p>",
    ],
)
def test_who_is_named_beside_a_contact_or_an_address_is_a_person(body: str) -> None:
    assert [p.name for p in people(body)] in (["Sarah Baker"], ["Ines Rzan"])


def test_the_text_below_a_name_says_what_the_person_is() -> None:
    body = (
        "<h2>Claire Reeve</h2><p>Claire is an integrative therapeutic counsellor who works with adults.</p>"
    )
    assert [(p.name, p.role) for p in people(body)] == [
        ("Claire Reeve", "integrative therapeutic counsellor")
    ]


def cards(heading: str, *entries: str) -> str:
    return f"<h2>{heading}</h2>" + "".join(
        "<div><h3>{}</h3><p>{}</p></div>".format(*re.split(r" \| ", entry)) for entry in entries
    )


@pytest.mark.parametrize(
    "body",
    [
        cards(
            "Our Products",
            "Brown Leather Sofa | Handmade",
            "Victoria Armchair | From £299",
            "Oxford Table | Oak",
        ),
        cards(
            "What we do", "Roof Repair | Fast", "Gutter Cleaning | Every season", "Loft Conversion | Planned"
        ),
        cards(
            "Leistungen",
            "Innere Medizin | Vorsorge",
            "Manuelle Therapie | Auf Rezept",
            "Neue Bäder | Schnell",
        ),
        cards("Услуги", "Ремонт Квартир | Быстро", "Натяжные Потолки | Недорого", "Малярные Работы | Чисто"),
        cards("خدماتنا", "تصميم مواقع | حلول متكاملة", "تسويق رقمي | نتائج مضمونة", "استضافة سحابية | سريعة"),
        cards("事業内容", "設計施工 | 住宅", "外構工事 | 庭", "高橋建設 | 施工例", "山田農園 | 野菜"),
        cards("产品中心", "金属加工 | 精密", "高压水泵 | 节能", "石材加工 | 装饰", "龙门铣床 | 数控"),
        cards("사업 분야", "전기공사 | 안전", "인테리어 | 상업", "주택 | 신축", "도로 | 포장"),
        cards("Join our team", "Kitchen Hand | Berlin", "Night Porter | Hamburg", "Pastry Chef | Kiel"),
        cards("Rooms", "Queen Elizabeth | Double bed", "King George | Sea view", "Princess Anna | Twin"),
        cards("Partners", "Jones Lang | Property", "Baker Tilly | Audit", "Grant Thornton | Tax"),
        cards("Books", "War and Peace | Leo Tolstoy", "Emma | Jane Austen", "Hard Times | Charles Dickens"),
        "<h2>Members</h2><ul><li>Blue Heron</li><li>Northern Lights</li><li>Harbour View</li></ul>",
        "<h2>Our team</h2><p>We are few.</p>"
        "<h3>Brand Strategy</h3><p>Clear</p><h3>Content Creation</h3><p>Words</p>",
        "<h2>Brands</h2><p>Calvin Klein, Ralph Lauren, Tommy Hilfiger, Ted Baker, Paul Smith</p>",
        "<h2>Articles</h2><h3>Rye</h3><p>Laura Hill</p><p>12 May 2023</p>"
        "<h3>Oats</h3><p>Tom Frost</p><p>13 May 2023</p>",
        "<h2>Contacts</h2><h3>Customer Care</h3><p>+44 20 7946 0958</p>"
        "<h3>Press Enquiries</h3><p>+44 20 7946 0959</p>",
        "<h2>Locations</h2><h3>San Jose</h3><p>+44 20 7946 0958</p>"
        "<h3>Fort Lauderdale</h3><p>+44 20 7946 0959</p>",
        "<h2>Service area</h2><ul><li>Albert Road</li><li>Rue Hugo</li><li>Via Giuseppe Verdi</li></ul>",
        "<nav><ul><li>Our Team</li><li>Family Law</li><li>Estate Planning</li></ul></nav>",
        "<h2>Loved by many</h2>"
        + f"<p>{'They did a great job for us. ' * 6}</p><h4>Laura Hill</h4><p>London</p>" * 2,
        "<p>Sri Lanka</p><p>Tel. +94 11 234 5678</p>",
    ],
)
def test_what_is_set_like_people_but_names_none_gives_nobody(body: str) -> None:
    assert people(body) == ()


@pytest.mark.parametrize(
    ("text", "role", "is_of_persons"),
    [
        ("Trustees", "Trustees", True),
        ("Meet our Trustees 2024", "Trustees", True),
        ("Board of Directors:", "Board of Directors", True),
        ("Ledamöter", "Ledamöter", True),
        ("Our Team", "", True),
        ("Members", "Members", False),
        ("我们的团队", "", True),
    ],
)
def test_headings_of_people_are_known(text: str, role: str, is_of_persons: bool) -> None:
    group = read_group(text)
    assert group is not None
    assert (group.role, group.is_of_persons) == (role, is_of_persons)


@pytest.mark.parametrize(
    "text", ["Opening hours", "Our services", "How the team of the year was chosen again"]
)
def test_other_headings_open_no_list_of_people(text: str) -> None:
    assert read_group(text) is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Baker, Sarah", "Sarah Baker"),
        ("د. خالد الشمري", "خالد الشمري"),
        ("นายสมชาย ใจดี", "สมชาย ใจดี"),
        ("Wilfried aus der Beek", "Wilfried aus der Beek"),
        ("佐藤 健一（さとう けんいち）", "佐藤 健一"),
    ],
)
def test_names_are_read_from_their_shape(text: str, name: str) -> None:
    shape = read_shape(text)
    assert shape is not None
    assert shape.text == name


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "<h2>Styrelsen</h2><ul><li>Ordförande – Alva Brolin</li>"
            "<li>Ledamöter – Gunvor Stål, Sixten Rask, Tyra Hamrin</li></ul>",
            {"Alva Brolin": "Ordförande", "Gunvor Stål": "Ledamöter", "Tyra Hamrin": "Ledamöter"},
        ),
        (
            "<p>Presidenta: Dª Remedios Ayerbe Lasa. Secretario: D. Fermín Uriz. Tesorero: Luis Oca.</p>",
            {"Remedios Ayerbe Lasa": "Presidenta", "Fermín Uriz": "Secretario", "Luis Oca": "Tesorero"},
        ),
        (
            "<ul><li><b>김도윤</b> 대표이사</li><li><b>이서연</b> 기획팀장</li></ul>",
            {"김도윤": "대표이사", "이서연": "기획팀장"},
        ),
        (
            '<div><b>יובב רוזנצוויג</b><br>מנכ"ל</div><div><b>גפן ברזילאי</b><br>סמנכ"לית</div>',
            {"יובב רוזנצוויג": 'מנכ"ל', "גפן ברזילאי": 'סמנכ"לית'},
        ),
        (
            "<table><tr><th>代表取締役</th><td>小鳥遊 健一</td></tr>"
            "<tr><th>所在地</th><td>東京</td></tr></table>",
            {"小鳥遊 健一": "代表取締役"},
        ),
    ],
)
def test_who_stands_behind_an_office_is_a_person(body: str, expected: dict[str, str]) -> None:
    found = {person.name: person.role for person in people(body)}
    assert expected.items() <= found.items()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Dr. M. S. Gopalan", "M. S. Gopalan"),
        ("M. Paul Durand", "Paul Durand"),
        ("Dipl.-Ing. (FH) Anna Ockenfels", "Anna Ockenfels"),
        ("Bernadette Koch MBACP", "Bernadette Koch"),
    ],
)
def test_titles_degrees_and_letters_behind_a_name_are_no_part_of_it(text: str, name: str) -> None:
    shape = read_shape(text)
    assert shape is not None
    assert shape.text == name


def test_the_name_of_an_industrial_area_is_nobody() -> None:
    assert people("<p>ZA de la Croix Blanche<br>12 rue des Métiers<br>44260 Savenay</p>") == ()
