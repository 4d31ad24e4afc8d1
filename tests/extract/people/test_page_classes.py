"""People in cards, lists, columns and labels of many scripts, and pages that name none."""

import pytest

from scrapersky.extract.page import read_page
from scrapersky.extract.results import Hints


def people(html):
    page = f"<html><head><title>x</title></head><body>{html}</body></html>"
    return read_page(page.encode(), Hints(None, None, "")).people


def cards(heading, persons):
    listed = "".join(f'<div class="c"><h3>{name}</h3><p>{role}</p></div>' for name, role in persons.items())
    return f"<h2>{heading}</h2>{listed}"


@pytest.mark.parametrize(
    ("heading", "persons"),
    [
        ("فريق العمل", {"ليث الشمري": "مدير المبيعات", "رغد القحطاني": "محاسبة", "زياد الخطيب": "مهندس"}),
        ("הצוות שלנו", {"נועם פלדמן": 'מנכ"ל', "יעל שגיא": "מנהלת שיווק", "עידו ברקת": "מהנדס"}),
        ("हमारी टीम", {"प्रकाश मिश्रा": "निदेशक", "सरोज यादव": "लेखाकार", "मीनाक्षी जोशी": "सचिव"}),
        ("ทีมงาน", {"นายปรีชา วงศ์ทอง": "ผู้จัดการ", "นางสาวกมลชนก ศรีสุข": "นักบัญชี", "นายธนพล ใจดี": "วิศวกร"}),
        ("スタッフ紹介", {"村上 俊介": "代表取締役", "大野 千春": "部長", "桜井 美咲": "デザイナー"}),
        ("团队成员", {"赵文博": "总经理", "孙晓丽": "会计", "钱志远": "工程师"}),
        ("임직원 소개", {"백승호": "대표", "남지현": "팀장", "오세훈": "과장"}),
        (
            "Η ομάδα μας",
            {
                "Στέλιος Καραγιάννης": "Διευθυντής",
                "Δέσποινα Λάμπρου": "Λογίστρια",
                "Θανάσης Ρήγας": "Μηχανικός",
            },
        ),
        (
            "Наша команда",
            {"Лариса Воронцова": "Директор", "Глеб Тихонов": "Бухгалтер", "Зоя Мельник": "Инженер"},
        ),
        ("ჩვენი გუნდი", {"ლევან კაპანაძე": "დირექტორი", "თამარ ბერიძე": "ბუღალტერი"}),
        ("আমাদের দল", {"রফিকুল ইসলাম": "পরিচালক", "নাসরিন আক্তার": "হিসাবরক্ষক", "তানভীর হাসান": "প্রকৌশলী"}),
        (
            "Our Team",
            {"J. R. Whitcombe": "Director", "A. K. Venkataraman": "Engineer", "P. Oyelaran": "Accountant"},
        ),
        (
            "Our Team",
            {
                "IMOGEN THACKERAY": "Director",
                "DOUGAL PEMBERTON": "Engineer",
                "RHIANNON VAUGHAN": "Accountant",
            },
        ),
        (
            "Our Team",
            {
                "Stefan Koch": "Director",
                "Lucy Baker": "Engineer",
                "Howard Price": "Accountant",
                "Diane Lane": "Secretary",
            },
        ),
        (
            "Meet the team",
            {
                "Xanthe Quilliam": "Managing Director",
                "Olumide Bakare": "Sales Manager",
                "Thandeka Mkhwanazi": "Office Manager",
            },
        ),
    ],
)
def test_everybody_in_cards_is_found_with_the_role(heading, persons):
    found = {
        person.name.casefold().removeprefix("นางสาว").removeprefix("นาย"): person.role
        for person in people(cards(heading, persons))
    }
    expected = {
        name.casefold().removeprefix("นางสาว").removeprefix("นาย"): role for name, role in persons.items()
    }
    assert found == expected


@pytest.mark.parametrize(
    ("html", "names"),
    [
        (
            "<h2>Trustees</h2><p>Imogen Thackeray, Dougal Pemberton, Rhiannon Vaughan and Barnaby Ashdown"
            "</p>",
            ["Imogen Thackeray", "Dougal Pemberton", "Rhiannon Vaughan", "Barnaby Ashdown"],
        ),
        (
            "<table><tr><th>Committee</th><td>Imogen Thackeray, Dougal Pemberton, Rhiannon Vaughan</td>"
            "</tr></table>",
            ["Imogen Thackeray", "Dougal Pemberton", "Rhiannon Vaughan"],
        ),
        (
            "<p>Chairman: Dougal Pemberton</p><p>Treasurer: Rhiannon Vaughan</p><p>Secretary: Barnaby"
            " Ashdown</p>",
            ["Dougal Pemberton", "Rhiannon Vaughan", "Barnaby Ashdown"],
        ),
        (
            "<table><tr><td>Ordförande</td><td>Torvald Ekbom</td></tr><tr><td>Kassör</td><td>Ylva Ståhlgren"
            "</td></tr><tr><td>Sekreterare</td><td>Hjalmar Rydén</td></tr></table>",
            ["Torvald Ekbom", "Ylva Ståhlgren", "Hjalmar Rydén"],
        ),
        (
            "<h3>Ledamöter</h3><ul><li>Torvald Ekbom</li><li>Ylva Ståhlgren</li><li>Hjalmar Rydén</li></ul>",
            ["Torvald Ekbom", "Ylva Ståhlgren", "Hjalmar Rydén"],
        ),
        (
            "<h3>Hallituksen jäsenet</h3><p>Veikko Laaksonen<br>Aino Rautiainen<br>Tapio Kettunen</p>",
            ["Veikko Laaksonen", "Aino Rautiainen", "Tapio Kettunen"],
        ),
        (
            "<h3>Członkowie zarządu</h3><p>Bogusław Wiśniak<br>Jadwiga Kamińczyk<br>Zbigniew Rogala</p>",
            ["Bogusław Wiśniak", "Jadwiga Kamińczyk", "Zbigniew Rogala"],
        ),
        (
            "<h3>Junta directiva</h3><ul><li>Leocadia Barrientos</li><li>Eulogio Santamaría</li>"
            "<li>Remedios Cifuentes</li></ul>",
            ["Leocadia Barrientos", "Eulogio Santamaría", "Remedios Cifuentes"],
        ),
        (
            "<h3>Vezetőség</h3><ul><li>Bodnár Zsuzsanna</li><li>Halmos Gergely</li><li>Szentesi Ibolya</li>"
            "</ul>",
            ["Bodnár Zsuzsanna", "Halmos Gergely", "Szentesi Ibolya"],
        ),
        ("<p>Ansprechpartnerin: Hannelore Brinkmann, Tel. 0431 555123</p>", ["Hannelore Brinkmann"]),
    ],
)
def test_everybody_in_a_list_is_found(html, names):
    assert sorted(person.name for person in people(html)) == sorted(names)


@pytest.mark.parametrize(
    "html",
    [
        cards("Products", {"Oak Table": "Solid wood", "Walnut Chair": "Hand finished", "Maple Bench": "New"}),
        cards(
            "Destinations",
            {"San Sebastián": "Spain", "Santa Barbara": "California", "Saint Tropez": "France"},
        ),
        cards(
            "Events",
            {"Summer Jazz Night": "12 June", "Harvest Supper": "4 October", "Winter Market": "1 December"},
        ),
        cards(
            "Our Clients",
            {"Harris Partners": "Law firm", "Morgan Stanley": "Bank", "Baker Tilly": "Accountants"},
        ),
        "<ul><li>Eggs Benedict</li><li>Caesar Salad</li><li>Beef Wellington</li><li>Peach Melba</li></ul>",
        "<h2>What our customers say</h2><blockquote>Lovely people, quick and friendly service all the"
        " way through, would use again and again.</blockquote><p>Martha Higgins</p><p>Director, Blue Ltd</p>",
        "<pre>class Robert Martin: def John Smith(self): pass</pre>",
        "<p>These terms are governed by the laws of England. Data Protection Officer may be contacted"
        " by post. Google Ireland Limited, Gordon House.</p>",
        "<nav><a>Home Page</a><a>About Us</a><a>Grace Court</a><a>Victoria Park</a></nav>",
        cards(
            "Services",
            {"Dental Care": "Manager plan", "Family Law": "Consultant", "Estate Planning": "Advisor"},
        ),
        cards(
            "Rooms", {"Queen Victoria": "Double room", "King Edward": "Suite", "Prince Albert": "Single room"}
        ),
    ],
)
def test_a_page_without_people_gives_none(html):
    assert [person.name for person in people(html)] == []
