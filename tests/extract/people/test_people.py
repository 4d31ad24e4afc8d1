"""People of an organisation: imprints, team cards, tables, markup, and names that are not theirs."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapersky.extract.html import parse_document
from scrapersky.extract.people import find_people
from scrapersky.extract.people.names import read_name
from scrapersky.extract.results import Email, Evidence, Hints, Person, Phone


def found(
    body: str, *, domain: str | None = None, emails: tuple[Email, ...] = (), phones: tuple[Phone, ...] = ()
) -> tuple[Person, ...]:
    return find_people(
        parse_document(f"<html><body>{body}</body></html>"), Hints(None, domain), emails, phones
    )


def names(body: str, *, domain: str | None = None, emails: tuple[Email, ...] = ()) -> list[str]:
    return [person.name for person in found(body, domain=domain, emails=emails)]


def mail(address: str, *, start: int = -1, kind: str = "person") -> Email:
    return Email(address, kind, "own", False, 0.9, (Evidence("text", address, start, "text"),))


@pytest.mark.parametrize(
    ("line", "expected", "role"),
    [
        ("Geschäftsführer: Dr. Jonas Albrecht", ["Jonas Albrecht"], "Geschäftsführer"),
        ("Geschäftsführerin: MARLENE FUCHS", ["Marlene Fuchs"], "Geschäftsführerin"),
        ("Vertreten durch: Ute Brandt und Falk Lorenz", ["Ute Brandt", "Falk Lorenz"], "Vertreten durch"),
        ("Vertreten durch: Geschäftsführerin Frau Dr. Petra Lind", ["Petra Lind"], "Geschäftsführerin"),
        ("Vorstand: 1. Vorsitzender Falk Lorenz, Kassenwart Ute Brandt", ["Falk Lorenz", "Ute Brandt"], ""),
        ("Represented by: Managing Director Mrs. Helen Carter", ["Helen Carter"], "Managing Director"),
        ("Vertegenwoordigd door: directeur dhr. Jan de Vries", ["Jan de Vries"], "directeur"),
        ("Sie wird vertreten durch den Geschäftsführer Falk Lorenz.", ["Falk Lorenz"], "Geschäftsführer"),
        ("Inhaberin: Katja von der Heide", ["Katja von der Heide"], "Inhaberin"),
        ("Verantwortlich i.S.d. § 18 Abs. 2 MStV: Nora Kling", ["Nora Kling"], "Verantwortlich"),
        ("Obmann: Mag. Leopold Gruber", ["Leopold Gruber"], "Obmann"),
        ("Directeur de la publication : Hélène Marchand", ["Hélène Marchand"], "Directeur de la publication"),
        ("Gérante : Mme Lucie Perrot", ["Lucie Perrot"], "Gérante"),
        ("Le directeur de la publication est Bruno Vasseur.", ["Bruno Vasseur"], "directeur de la"),
        ("Titolare: Dott. Renzo Bellini", ["Renzo Bellini"], "Titolare"),
        ("Legale rappresentante: Avv. Chiara Monti", ["Chiara Monti"], "Legale rappresentante"),
        ("Administrador: Íñigo Salcedo", ["Íñigo Salcedo"], "Administrador"),
        ("Responsável técnico: Paulo Teixeira", ["Paulo Teixeira"], "Responsável técnico"),
        ("Managing Director: Fiona McBride", ["Fiona McBride"], "Managing Director"),
        ("Owner: Pat O'Shea", ["Pat O'Shea"], "Owner"),
        ("Eigenaar: Sjoerd van Dijk", ["Sjoerd van Dijk"], "Eigenaar"),
        ("Prezes Zarządu: Marek Wolny", ["Marek Wolny"], "Prezes Zarządu"),
        ("Jednatel: Ing. Radim Svoboda", ["Radim Svoboda"], "Jednatel"),
        ("Konateľ: Juraj Hronec", ["Juraj Hronec"], "Konateľ"),
        ("Ügyvezető: Kovács Gergely", ["Kovács Gergely"], "Ügyvezető"),
        ("Administrator: Ionuț Popescu", ["Ionuț Popescu"], "Administrator"),
        ("Управител: Георги Стоянов", ["Георги Стоянов"], "Управител"),
        ("Директор: Иван Соколов", ["Иван Соколов"], "Директор"),
        ("Ordförande: Elin Sandberg", ["Elin Sandberg"], "Ordförande"),
        ("Daglig leder: Kari Nordmo", ["Kari Nordmo"], "Daglig leder"),
        ("Indehaver: Torben Skov", ["Torben Skov"], "Indehaver"),
        ("Toimitusjohtaja: Antti Laine", ["Antti Laine"], "Toimitusjohtaja"),
        ("Vlasnik: Goran Babić", ["Goran Babić"], "Vlasnik"),
        ("Διευθυντής: Νίκος Παππάς", ["Νίκος Παππάς"], "Διευθυντής"),
        ("Kurucu: Selin Aydın", ["Selin Aydın"], "Kurucu"),
        ("代表取締役 佐藤 健一", ["佐藤 健一"], "代表取締役"),
        ("대표이사: 김민준", ["김민준"], "대표이사"),
        ("Pastor Daniel Whitby", ["Daniel Whitby"], "Pastor"),
        ("Laura Kessler, Vorsitzende", ["Laura Kessler"], "Vorsitzende"),
        ("Marc Dubois – Responsable commercial", ["Marc Dubois"], "Responsable commercial"),
        ("Tom Hartley (Founder)", ["Tom Hartley"], "Founder"),
    ],
)  # fmt: skip
def test_imprint_lines_in_many_languages_name_persons(line: str, expected: list[str], role: str) -> None:
    people = found(f"<p>{line}</p>")
    assert [person.name for person in people] == expected
    assert all(role in (person.role or "") for person in people)


@pytest.mark.parametrize(
    ("line", "role"),
    [
        ("Vertreten durch die Geschäftsführerin Ute Brandt", "Geschäftsführerin"),
        ("Vertreten durch die Geschäftsführerin: Ute Brandt", "Geschäftsführerin"),
        ("Verantwortlich für den Inhalt: Frau Ute Brandt, Geschäftsführerin", "Geschäftsführerin"),
        ("Représentée par sa gérante Madame Claire Fontaine", "gérante"),
        ("Représentant légal : M. Paul Girard, Président", "Président"),
        ("Vertreten durch: Ute Brandt", "Vertreten durch"),
    ],
)
def test_a_role_beside_the_label_of_the_imprint_is_kept_without_it(line: str, role: str) -> None:
    (person,) = found(f"<p>{line}</p>")
    assert person.role == role


def test_a_label_above_gives_its_role_to_every_name_below() -> None:
    people = found("<p>Ansprechpartner<br>Rita Sommer<br>Emil Winter</p><p>Wir freuen uns auf Sie.</p>")
    assert [(person.name, person.role) for person in people] == [
        ("Rita Sommer", "Ansprechpartner"),
        ("Emil Winter", "Ansprechpartner"),
    ]


TEAM = [
    ("Asha Rimal", "Chairperson"),
    ("Dorji Wangmo", "Treasurer"),
    ("Tenzin Lhamo", "Member"),
    ("Karma Dema", "Member"),
]


def test_cards_with_the_name_first_keep_their_roles() -> None:
    body = "<h2>Our Team</h2>" + "".join(f"<div><h4>{name}</h4><h5>{role}</h5></div>" for name, role in TEAM)
    assert [(person.name, person.role) for person in found(body)] == TEAM


def test_cards_with_the_role_first_keep_their_roles() -> None:
    body = "<h2>Board</h2>" + "".join(f"<div><h5>{role}</h5><p>{name}</p></div>" for name, role in TEAM)
    assert [(person.name, person.role) for person in found(body)] == TEAM


def test_a_card_without_a_role_is_known_by_its_likeness() -> None:
    cards = [*TEAM[:3], ("Pema Choden", ""), TEAM[3]]
    body = "".join(f"<h4 class='n'>{name}</h4><p class='r'>{role}</p>" for name, role in cards)
    people = {person.name: person.role for person in found(body)}
    assert people["Pema Choden"] is None
    assert len(people) == 5


def test_a_roster_on_one_line_gives_each_name_its_role() -> None:
    body = "<div>Ida Feld (Vorsitzende) | Nele Hain (Stellv. Vorsitzende) | Ole Busch (Kassenwart)</div>"
    roles = {person.name: person.role for person in found(body)}
    assert roles == {"Ida Feld": "Vorsitzende", "Nele Hain": "Stellv. Vorsitzende", "Ole Busch": "Kassenwart"}


def test_names_behind_a_label_keep_the_roles_in_brackets() -> None:
    people = found("<p>Vorstand: Anna Feld (1. Vorsitzende), Karl Hain (Kassenwart)</p>")
    assert [(p.name, p.role) for p in people] == [
        ("Anna Feld", "1. Vorsitzende"),
        ("Karl Hain", "Kassenwart"),
    ]


@pytest.mark.parametrize(
    "markup", ["<b>Tom Hale</b><small>Director</small>", "<h3>Tom Hale <i>Director</i></h3>"]
)
def test_a_role_in_an_element_beside_the_name_is_its_role(markup: str) -> None:
    assert [(p.name, p.role) for p in found(f"<div>{markup}</div>")] == [("Tom Hale", "Director")]


def test_letters_behind_the_name_do_not_hide_the_role() -> None:
    body = "<h4>Dr. Anil Kumar</h4><p>MBBS, MD</p><p>Consultant Physician</p>"
    assert [(p.name, p.role) for p in found(body)] == [("Anil Kumar", "Consultant Physician")]


@pytest.mark.parametrize(
    "text",
    [
        "Hi, I’m Sarah Miller, and I bake.",
        "Mein Name ist Sarah Miller und ich backe.",
        "Je m'appelle Sarah Miller.",
        "Me llamo Sarah Miller y vivo en Soria.",
    ],
)
def test_who_speaks_in_the_first_person_is_of_the_organisation(text: str) -> None:
    assert names(f"<p>{text}</p>") == ["Sarah Miller"]


def test_a_titled_name_that_is_a_heading_is_a_person() -> None:
    assert names("<h1>Dott.ssa Laura Conti</h1><p>Riceve su appuntamento.</p>") == ["Laura Conti"]


def test_what_somebody_does_is_kept_before_the_label_of_the_imprint() -> None:
    body = "<p>Vertreten durch: Karl Hain</p><p>Karl Hain, Vorsitzender</p>"
    assert [(p.name, p.role) for p in found(body)] == [("Karl Hain", "Vorsitzender")]


def test_a_board_table_gives_name_role_and_e_mail() -> None:
    body = (
        "<table><tr><td>Ordförande</td><td>Maja Lind</td><td>maja.lind@klubb.test</td></tr>"
        "<tr><td>Kassör</td><td>Olle Berg</td><td>olle.berg@klubb.test</td></tr></table>"
    )
    people = found(body, emails=(mail("maja.lind@klubb.test"), mail("olle.berg@klubb.test")))
    assert [(p.name, p.role, p.email) for p in people] == [
        ("Maja Lind", "Ordförande", "maja.lind@klubb.test"),
        ("Olle Berg", "Kassör", "olle.berg@klubb.test"),
    ]


def test_person_markup_counts_and_authors_of_articles_do_not() -> None:
    body = (
        '<script type="application/ld+json">[{"@type":"Person","name":"Ines Prado",'
        '"jobTitle":"Founder","email":"mailto:ines@casa.test"},'
        '{"@type":"BlogPosting","author":{"@type":"Person","name":"Guest Writer Tom Vale"}},'
        '{"@type":"Review","author":{"@type":"Person","name":"Nina Holt"}}]</script>'
    )
    assert [(p.name, p.role, p.email) for p in found(body)] == [("Ines Prado", "Founder", "ines@casa.test")]


def test_a_name_that_an_address_is_made_of_is_a_person() -> None:
    body = "<p>Sigrun Halvorsen</p><p>s.halvorsen@firma.test</p>"
    (person,) = found(body, emails=(mail("s.halvorsen@firma.test"),))
    assert (person.name, person.email) == ("Sigrun Halvorsen", "s.halvorsen@firma.test")


def test_the_addressee_of_the_imprint_is_a_person() -> None:
    assert names("<p>Chor der Freunde e.V.<br>Gerda Neumann<br>Lindenweg 3<br>01067 Dresden</p>") == [
        "Gerda Neumann"
    ]


def test_the_person_a_site_is_called_after_is_a_person() -> None:
    assert names("<p>Martin Keller</p><p>Welcome to my page</p>", domain="martinkeller.test") == [
        "Martin Keller"
    ]


def test_phone_and_e_mail_of_a_card_stay_with_its_person() -> None:
    body = "<h3>Rosa Blum</h3><p>Leiterin<br>0361 111</p><h3>Karl Stein</h3><p>Techniker<br>0361 222</p>"
    text = parse_document(body).text
    phones = tuple(
        Phone(number, "phone", None, "DE", 0.9, (Evidence("text", seen, text.index(seen), "text"),))
        for number, seen in (("+49361111", "0361 111"), ("+49361222", "0361 222"))
    )
    assert [(p.name, p.phone) for p in found(body, phones=phones)] == [
        ("Rosa Blum", "+49361111"),
        ("Karl Stein", "+49361222"),
    ]


def test_a_card_ends_where_the_makers_of_the_site_begin() -> None:
    body = "<p>Leiter</p><p>Karl Stein</p><p>Design und Umsetzung</p><p>nils@werkstatt.test</p>"
    start = parse_document(body).text.index("nils@")
    (person,) = found(body, emails=(mail("nils@werkstatt.test", start=start),))
    assert (person.name, person.email) == ("Karl Stein", None)


def test_a_card_ends_at_the_name_of_another_firm() -> None:
    body = "<p>Leiter: Karl Stein</p><p>Blitzwerk GmbH</p><p>nils@blitzwerk.test</p>"
    start = parse_document(body).text.index("nils@")
    (person,) = found(body, emails=(mail("nils@blitzwerk.test", start=start),))
    assert (person.name, person.email) == ("Karl Stein", None)
    (person,) = found(body, domain="blitzwerk.test", emails=(mail("nils@blitzwerk.test", start=start),))
    assert person.email == "nils@blitzwerk.test"


def test_beside_own_addresses_one_of_another_domain_is_not_bound() -> None:
    body = "<p>Leiter: Karl Stein</p><p>nils@blitzwerk.test</p>"
    foreign = replace(
        mail("nils@blitzwerk.test", start=parse_document(body).text.index("nils@")), relation="other"
    )
    (person,) = found(body, emails=(foreign,))
    assert person.email == "nils@blitzwerk.test"
    (person,) = found(body, emails=(foreign, mail("info@stein.test", kind="role")))
    assert person.email is None


@pytest.mark.parametrize(
    "body",
    [
        "<p>Webdesign: Nils Frank</p>",
        "<p>Umsetzung und Gestaltung</p><p>Nils Frank<br>Ahornweg 5<br>10115 Berlin</p>",
        "<p>Photo by Anna Berger on Unsplash</p>",
        "<p>Diseñado por Pablo Ruiz</p>",
        "<h2>Testimonials</h2><p>Great work!</p><p>Anna Berger</p><p>Director</p>",
        "<h2>Was unsere Kunden sagen: Bewertungen</h2><p>Karl Stein</p><p>Geschäftsführer</p>",
        "<p>“They changed the way we work, every single day of the year.”</p><p>Laura Kim</p><p>Manager</p>",
        "<blockquote>Anna Berger<br>Director</blockquote>",
        "<ul><li>Contact Us</li><li>Our Team</li><li>About Us</li></ul>",
        "<p>Project Manager</p><p>Senior Developer</p><p>Apply now</p>",
        "<p>Martin Luther Straße 5</p><p>10777 Berlin</p>",
        "<p>Hugo Weber GmbH</p><p>Lindenweg 3</p><p>01067 Dresden</p>",
        "<p>Carolina Herrera Oakley Silhouette</p>",
        "<p>New York</p><p>San Francisco</p>",
        "<h2>Sponsors</h2><p>Anna Berger</p><p>Director</p>",
        "<p>Posted by Anna Berger on May 5</p>",
        "<p>Mr Tom Hill, a reader from Leeds, wrote to us</p>",
        "<p>“I am Anna Berger and I have never been so happy with a hotel.”</p>",
        "<h3>John Doe</h3><p>CEO</p>",
        "<p>Vertreten durch: Max Mustermann</p>",
        "<p>The director said that Monday is a good day.</p>",
        "<nav><ul><li>Anna Berger</li><li>Karl Stein</li></ul></nav>",
    ],
)
def test_credits_quotes_menus_and_companies_are_no_people_of_the_organisation(body: str) -> None:
    assert names(body) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Dr. med. Petra Lind", "Petra Lind"),
        ("Prof. Dr.-Ing. Klaus Weiß", "Klaus Weiß"),
        ("William A. Hale, M.D.", "William A. Hale"),
        ("JEAN-PAUL MOREAU", "Jean-Paul Moreau"),
        ("Arnaud PETIT", "Arnaud Petit"),
        ("Maria de la Cruz", "Maria de la Cruz"),
        ("Jan van der Veen", "Jan van der Veen"),
        ("Dipl.-Ing. Uwe Krämer", "Uwe Krämer"),
        ("Werner Holt Dipl.-Päd.", "Werner Holt"),
    ],
)
def test_names_lose_titles_and_capitals(text: str, name: str) -> None:
    read = read_name(text)
    assert read is not None
    assert read.text == name


@pytest.mark.parametrize(
    "text",
    [
        "Contact Us",
        "Web Design",
        "Via Roma 5",
        "Rue Haute",
        "Nils",
        "anna berger",
        "Team & Partner",
        "Blumen Weber GmbH",
        "HOME ABOUT",
        "Tel. 0361",
    ],
)
def test_other_words_are_no_names(text: str) -> None:
    assert read_name(text) is None


def test_a_page_of_ten_thousand_persons_keeps_two_hundred() -> None:
    """RELIABILITY HTML-13."""
    letters = "abcdefghijklmnopqrst"
    cards = (f"<h4>Anna B{a}{b}{c}</h4><p>Member</p>" for a in letters for b in letters for c in letters)
    assert len(found("".join(cards))) == 200


@given(
    st.lists(
        st.one_of(
            st.text(max_size=50),
            st.sampled_from(
                ["Anna Berger", "CEO", "Geschäftsführer: ", "Dr. X Y", "est Jean Petit", ", ", "“"]
            ),
        )
    )
)
def test_no_text_makes_it_raise(texts: list[str]) -> None:
    for person in found("<p>" + "</p><p>".join(texts) + "</p>", emails=(mail("a.berger@x.test"),)):
        assert person.name
        assert 0 < person.confidence <= 1


@pytest.mark.timed
@pytest.mark.parametrize(
    "piece",
    [
        "Anna Berger ",
        "Director ",
        "Dr. ",
        "est Jean ",
        "Geschäftsführer: ",
        "“a ",
        "Anna Berger, Director<br>",
        "代表 ",
    ],
)
def test_time_grows_with_the_length_of_the_text_only(piece: str) -> None:
    def seconds(times: int) -> float:
        doc = parse_document(f"<p>{piece * times}</p>")
        best = 9.0
        for _ in range(3):
            begin = time.process_time()
            find_people(doc, Hints(None, None), (), ())
            best = min(best, time.process_time() - begin)
        return best

    assert seconds(10_000) < 20 * max(seconds(1_000), 0.002)
