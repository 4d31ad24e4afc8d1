"""A wrong contact is worse than a missing one: values that look right and are not, in several languages."""

from time import process_time

import pytest

from scrapersky.extract.page import read_page
from scrapersky.extract.results import Hints


def page(body, domain="beispiel-bau.de", country=None, url=""):
    return read_page(f"<html><body>{body}</body></html>", Hints(country, domain, url))


def emails(body, domain="beispiel-bau.de"):
    return [email.address for email in page(body, domain).emails]


@pytest.mark.parametrize(
    ("body", "address"),
    [
        ("<p>Contact: niamh.o'leary@cork-dental.ie.", "niamh.o'leary@cork-dental.ie"),
        ("<p>Niamh O’Leary, n.o’leary@cork-dental.ie", "n.o'leary@cork-dental.ie"),
        ("<p>Scrivere a marco.dell'orto@studio-orto.it", "marco.dell'orto@studio-orto.it"),
        ("<p>niamh.o'leary (at) cork-dental.ie", "niamh.o'leary@cork-dental.ie"),
        ("<p>ventas/taller@motor-sur.es", "ventas/taller@motor-sur.es"),
        ("<p>hahn&amp;sohn@beispiel-bau.de", "hahn&sohn@beispiel-bau.de"),
        ("<p>anna+termin@beispiel-bau.de", "anna+termin@beispiel-bau.de"),
        ("""<a href="mailto:c.d'amico@studio-orto.it">Posta</a>""", "c.d'amico@studio-orto.it"),
        ("<a href='mailto:c.d%27amico@studio-orto.it'>Posta</a>", "c.d'amico@studio-orto.it"),
        ("<a href='mailto:c.d%2527amico@studio-orto.it'>Posta</a>", "c.d'amico@studio-orto.it"),
        ("<a href='mailto:c.d&#39;amico@studio-orto.it'>Posta</a>", "c.d'amico@studio-orto.it"),
        ("<a href='mailto:c.d&amp;#39;amico@studio-orto.it'>Posta</a>", "c.d'amico@studio-orto.it"),
        ("<a href='mailto:compras/almacen@motor-sur.es'>Correo</a>", "compras/almacen@motor-sur.es"),
        ("<a href='mailto:hahn&amp;sohn@beispiel-bau.de'>Mail</a>", "hahn&sohn@beispiel-bau.de"),
        ("<a href='mailto:news=de!bau~x@beispiel-bau.de'>Mail</a>", "news=de!bau~x@beispiel-bau.de"),
    ],
)
def test_an_address_keeps_all_of_its_signs(body, address):
    assert emails(body) == [address]


@pytest.mark.parametrize(
    "body",
    [
        "<p>Schreiben Sie an 'office@beispiel-bau.de'.",
        "<p>(‘office@beispiel-bau.de’)",
        "<p>à l'adresse d'office@beispiel-bau.de",
        "<p>l’office@beispiel-bau.de",
        "<p>scrivete all'office@beispiel-bau.de",
        "<p>&lt;a href='mailto:office@beispiel-bau.de'&gt;",
        "<p>E-Mail/office@beispiel-bau.de",
        "<p>Tel. 0711/1234-0/office@beispiel-bau.de",
        "<p>email=office@beispiel-bau.de",
        "<p>data-mail='office@beispiel-bau.de",
        "<p>kontakt/'office@beispiel-bau.de",
        "<p>e-mail=/office@beispiel-bau.de",
        "<p>メールoffice@beispiel-bau.de",
        "<p>Mail|office@beispiel-bau.de",
    ],
)
def test_signs_around_an_address_are_left_out(body):
    assert emails(body) == ["office@beispiel-bau.de"]


@pytest.mark.parametrize(
    "body",
    [
        "<p>d'anna@beispiel-bau.de",
        "<p>jürgen@beispiel-bau.de",
        "<p>siobhán@beispiel-bau.de",
        "<p>/team/vertrieb/anna@beispiel-bau.de",
        "<p>andere-firma.de/anna@beispiel-bau.de",
        "<p>liam.o&amp;#39;shea@beispiel-bau.de",
        "<p>prvs=anna@beispiel-bau.de",
    ],
)
def test_where_an_address_begins_cannot_be_told_it_is_dropped(body):
    assert emails(body) == []


@pytest.mark.parametrize(
    "body",
    [
        "<style>.zz{display:none}</style><p>buero<span class=zz>kein</span>@beispiel-bau.de",
        "<style>p b.q, td{visibility: hidden}</style><p>buero@<b class=q>xx.</b>beispiel-bau.de",
        "<style>#n{position:absolute;left:-5000px}</style><div>buero@beispiel<em id=n>null</em>-bau.de</div>",
        "<style>.m>:nth-child(2){display:none}</style><p class=m><i>buero</i><i>x</i><i>@beispiel-bau.de",
        "<p>buero<i hidden>1614556800</i>@beispiel-bau.de",
        "<p>buero<small class='d-none'>raus</small>@beispiel-bau.de",
        "<p>buero@<u style='font-size:0'>foo</u>beispiel-bau.de",
        "<p>buero<span aria-hidden=true>@</span><span class=sr-only>at</span>beispiel-bau.de",
        "<p>buero<span class=oculto>quitar</span>(at)beispiel-bau.de",
        "<p>buero@NO-SPAM.beispiel-bau.de",
        "<p>buero@beispiel-bauLOESCHEN.de",
        "<p>bueroDELETETHIS@beispiel-bau.de",
        "<p>buero-a-enlever@beispiel-bau.de",
        "<p>buero(quitar-esto)@beispiel-bau.de",
        "<p>buero@-dies-entfernen-beispiel-bau.de",
        "<a href='mailto:buero@sans-spam.beispiel-bau.de'>Mail</a>",
        "<p>buero@REMOVETHIS@beispiel-bau.de",
        "<a href='mailto:buero@nospam@beispiel-bau.de'>Mail</a>",
        "<p>buero.DELETEME@beispiel-bau.de",
        "<p>buero-1699882211@beispiel-bau.de",
        "<p>buero@1699882211456.beispiel-bau.de",
    ],
)
def test_filler_in_an_address_is_taken_out(body):
    found = page(body).emails
    assert [email.address for email in found] == ["buero@beispiel-bau.de"]


@pytest.mark.timed
@pytest.mark.parametrize("rule", ["*{display:none}", ",".join(["p p p"] * 20) + "{display:none}"])
def test_many_rules_that_hide_take_little_time(rule):
    """Each selector asks the whole page, and one that matches everything brings all of it."""
    body = f"<style>{rule * 1_500}</style><p>buero<i hidden>x</i>@beispiel-bau.de" + "<p><b>a</b>" * 10_000
    started = process_time()
    emails(body)
    assert process_time() - started < 5


def test_an_address_that_filler_protects_counts_as_hidden():
    assert page("<p>buero@NO-SPAM.beispiel-bau.de").emails[0].hidden
    assert not page("<p>buero@beispiel-bau.de").emails[0].hidden


@pytest.mark.parametrize(
    "address",
    [
        "antispam@beispiel-bau.de",
        "remove@beispiel-bau.de",
        "info@antispam-europa.com",
        "1699882211@qq.com",
        "RECEPTION@BEISPIEL-BAU.DE",
        "weg@beispiel-bau.de",
    ],
)
def test_a_mailbox_or_domain_that_only_looks_like_filler_stays(address):
    assert emails(f"<p>Mail: {address}") == [address.lower()]


def test_filler_that_leaves_no_address_leaves_no_guess():
    assert emails("<p>max-nospam-huber@beispiel-bau.de") == []
    assert emails("<p>NOSPAM@beispiel-bau.de, removethis@beispiel-bau.de") == []
    assert emails("<p>max.huber@nospam-gmail.com") == ["max.huber@gmail.com"]


@pytest.mark.parametrize(
    ("domain", "site"),
    [
        ("xn--mnchen-bau-9db.de", "münchen-bau.de"),
        ("münchen-bau.de", "xn--mnchen-bau-9db.de"),
        ("muenchen-bau.de", "xn--mnchen-bau-9db.de"),
        ("xn--caf-lucie-d4a.fr", "www.café-lucie.fr"),
        ("cafe-lucie.fr", "café-lucie.fr"),
        ("xn--80adxhks-bau.xn--p1ai", "xn--80adxhks-bau.xn--p1ai"),
        ("smorrebrod.dk", "smörrebröd.dk"),
    ],
)
def test_an_own_address_is_own_in_every_spelling_of_the_domain(domain, site):
    assert [email.relation for email in page(f"<p>Kontakt: anna@{domain}", site).emails] == ["own"]


def test_two_spellings_of_one_domain_are_one_address():
    assert emails("<p>anna@café-lucie.fr <p>anna@xn--caf-lucie-d4a.fr") == ["anna@café-lucie.fr"]


def phones(body, country=None, domain=None):
    return [phone.e164 for phone in page(body, domain, country).phones]


@pytest.mark.parametrize(
    ("country", "text"),
    [
        ("DE", "(14.08.2021)"),
        ("DE", "03.04. - 05.06.24"),
        ("DE", "Kontakt 09.02.22 - 08:15"),
        ("DE", "01.-03.05.2024"),
        ("DE", "(03.04.2021 - 05.06.2021)"),
        ("AT", "12./13.04.2024, 19.30 Uhr"),
        ("FR", "du 01/02/2023 au 15/03/2023"),
        ("FR", "Publié le 03.04.2021 à 09:15"),
        ("US", "11/23/2023 - 12/01/2023"),
        ("GB", "07/03/2019 10:30"),
        ("NL", "06-12-2023 t/m 08-12-2023"),
        ("CZ", "05. 11. 2023 08.00 - 16.00"),
        ("HU", "2023.11.05. 10:00"),
        ("SE", "2019-03-07 - 2020-04-08"),
        ("NO", "2019 2020"),
        ("FI", "7.3.2019 klo 14.30-16.00"),
        ("JP", "2023/11/05 10:30"),
        ("IT", "Orari 09.00 - 12.30 / 15.00 - 19.00"),
        ("DE", "03/2019 - 05/2020"),
        ("DE", "EZ 03/2018 75.000 km"),
        ("DE", "Finanzamt Köln, St.Nr. FA 0214/5801/1234"),
        ("DE", "<dl><dt>Steuernummer</dt><dd>012/345/67890</dd></dl>"),
        ("DE", "IBAN DE89 3704 0044 0532 0130 00"),
        ("DE", "978-3-86680-192-9"),
        ("BR", "12.345.678/0001-95"),
        ("FR", "RCS Paris 552 032 534"),
        ("DE", "48.856613, 2.352222"),
        ("ES", "12.990.000 €"),
        ("DE", "Telefon 0711 / 123 45 67"),
    ],
)
def test_dates_times_and_other_numbers_are_no_phones(country, text):
    assert phones(f"<p>{text}</p>", country) == []


@pytest.mark.parametrize(
    ("country", "text", "number"),
    [
        ("FR", "06.12.11.10.09", "+33612111009"),
        ("DK", "Tlf. 20.12.19.85", "+4520121985"),
        ("LU", "Telefon: 27-18-10-19", "+35227181019"),
        ("HU", "06.20.123.4519", "+36201234519"),
        ("BE", "Tel. 02/512.20.19", "+3225122019"),
        ("DE", "Stand 05.11.2023 0711 2234567", "+497112234567"),
        ("DE", "Mo-Fr 08:00-12:00 Tel. 0711 2234567", "+497112234567"),
        ("DE", "Bestellhotline 0711 2234567", "+497112234567"),
        ("DE", "Notfallnummer: 0711 2234567", "+497112234567"),
        ("US", "212-555-2019", "+12125552019"),
    ],
)
def test_phones_that_look_like_dates_or_stand_beside_them_stay(country, text, number):
    assert phones(f"<p>{text}</p>", country) == [number]


GERMAN = (
    "<p>Wir freuen uns auf Ihren Besuch in unserer Werkstatt und beraten Sie gern zu allen Fragen.</p>"
    "<p>Telefon 0711 2234567</p><p>{}</p>"
)


@pytest.mark.parametrize(
    "number",
    [
        "IBAN DE89 3704 0044 0532 0130 00",
        "Bankverbindung: DE12 5001 0060 0044 1234 56",
        "ISBN 978-0-06-112008-4, ISBN 0060 935464",
        "Art.-Nr. 0060 12345678, Art.-Nr. 0044 2079460018",
        "Ersatzteile AB12 3CD, B0B 1A1, S3X 5T2 und 12345-678",
        "Modell DE 12345, CO 80202, MA 02139",
    ],
)
def test_accounts_books_and_articles_do_not_tell_the_country(number):
    found = page(GERMAN.format(number), "beispiel-bau.com")
    assert found.country == "DE"
    assert [phone.e164 for phone in found.phones] == ["+497112234567"]


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("UK", "GB"),
        ("United Kingdom", "GB"),
        ("United States", "US"),
        ("USA", "US"),
        ("Deutschland", "DE"),
        ("AUT", "AT"),
        ("Österreich", "AT"),
        ("日本", "JP"),
        ("España", "ES"),
        ("Brasil", "BR"),
        ("Ελλάδα", "GR"),
        ("대한민국", "KR"),
        ("Schweden", "SE"),
        ("FL", None),
        ("XX", None),
        ("Bayern", None),
        ("-", None),
    ],
)
def test_only_a_country_is_believed_in_structured_data(written, code):
    body = (
        '<script type="application/ld+json">{"@type": "LocalBusiness", "address": {"@type": "PostalAddress", '
        f'"streetAddress": "Main St 5", "addressLocality": "Ort", "addressCountry": "{written}"}}}}</script>'
    )
    found = page(body, None)
    assert (found.country, found.addresses[0].country) == (code, code)


@pytest.mark.parametrize("tag", ["sv-SV", "uk-UK", "en-UK", "et-ET", "sl-SL"])
def test_a_tag_that_only_repeats_the_language_names_no_other_country(tag):
    found = read_page(f'<html lang="{tag}"><body><p>Hej', Hints(None, None, ""))
    assert found.country in (None, "SE", "UA", "GB", "EE", "SI")


def test_a_hint_that_is_no_country_is_not_believed():
    assert page("<p>Tel. 020 7946 0018", "x.co.uk", "UK").country == "GB"
    assert page("<p>Tel. 020 7946 0018", "x.co.uk", "FL").country == "GB"


@pytest.mark.parametrize(
    "address",
    [
        "facebook.com/login.php?next=1",
        "facebook.com/groups/feed",
        "facebook.com/groups/discover/",
        "facebook.com/pages/create",
        "facebook.com/watch/?v=1",
        "facebook.com/r.php",
        "facebook.com/settings",
        "facebook.com/fundraisers",
        "instagram.com/accounts/login",
        "instagram.com/direct/inbox",
        "instagram.com/create",
        "instagram.com/me",
        "x.com/home",
        "twitter.com/messages",
        "x.com/explore",
        "twitter.com/me",
        "x.com/search?q=a",
        "linkedin.com/in/me",
        "linkedin.com/company/login",
        "linkedin.com/groups/discover",
        "youtube.com/channel/create",
        "youtube.com/user/me",
        "youtube.com/account",
        "youtube.com/hashtag/a",
        "tiktok.com/@me",
        "pinterest.de/me",
        "pinterest.com/login",
        "t.me/share",
        "t.me/login",
        "vk.com/feed",
        "vk.com/share.php",
        "reddit.com/r/popular",
        "reddit.com/user/me",
        "github.com/settings",
        "vimeo.com/log_in",
        "medium.com/me",
        "xing.com/companies/search",
        "snapchat.com/add/me",
        "twitch.tv/drops",
        "tumblr.com/dashboard",
        "flickr.com/photos/tags",
        "play.google.com/store/apps/details?id=a",
        "apps.apple.com/de/app/a/id1",
    ],
)
def test_the_pages_of_a_network_itself_are_no_profiles(address):
    assert page(f"<footer><a href='https://www.{address}'>Wir</a></footer>").socials == ()
    assert page(f"<footer><a href='https://{address}'>Wir</a></footer>").socials == ()


@pytest.mark.parametrize(
    "address",
    [
        "facebook.com/beispielbau",
        "facebook.com/groups/998877",
        "facebook.com/pages/Beispiel/1234567",
        "x.com/beispielbau",
        "linkedin.com/company/beispielbau",
        "youtube.com/channel/UCabcdef",
        "tiktok.com/@beispielbau",
        "t.me/beispielbau",
    ],
)
def test_profiles_stay_profiles(address):
    assert len(page(f"<footer><a href='https://{address}'>Wir</a></footer>").socials) == 1


def people(body, domain="beispiel-bau.de"):
    return [person.name for person in page(body, domain).people]


@pytest.mark.parametrize(
    "text",
    [
        "代表取締役",
        "専務取締役 取締役",
        "代表取締役社長 挨拶",
        "代表電話 03-1234-5678",
        "院長紹介",
        "店長日記",
        "責任者 募集",
        "監査役 監査",
        "董事长致辞",
        "总经理办公室",
        "联系人：张女士",
        "대표전화",
        "대표 인사말",
        "대표자 성명",
    ],
)
def test_titles_and_headings_of_east_asia_are_no_people(text):
    assert people(f"<p>{text}</p>") == []


@pytest.mark.parametrize(
    ("text", "name", "role"),
    [
        ("代表取締役　佐藤 健", "佐藤 健", "代表取締役"),
        ("代表取締役社長：高橋花子", "高橋花子", "代表取締役社長"),
        ("院長 鈴木一郎", "鈴木一郎", "院長"),
        ("法定代表人：王小明", "王小明", "法定代表人"),
        ("联系人 李伟", "李伟", "联系人"),
        ("대표이사 김철수", "김철수", "대표이사"),
    ],
)
def test_people_of_east_asia_keep_their_whole_title(text, name, role):
    assert [(one.name, one.role) for one in page(f"<p>{text}</p>").people] == [(name, role)]


FIELDS = [
    ("Estate Planning", "Lawyer"),
    ("Civil Litigation", "Partner"),
    ("Root Canal", "Dentist"),
    ("Digitale Medien", "Leitung"),
    ("Betriebliche Altersvorsorge", "Beraterin"),
    ("Droit Pénal", "Avocate"),
    ("Ressources Humaines", "Responsable"),
    ("Derecho Laboral", "Abogado"),
    ("Risorse Umane", "Responsabile"),
    ("Prawo Pracy", "Adwokat"),
    ("Direito Trabalhista", "Advogado"),
    ("Baton Rouge", "Director"),
    ("Buenos Aires", "Gerente"),
    ("Monte Rosa", "Manager"),
    ("Villa Maria", "Manager"),
    ("Deutsche Bank", "Berater"),
    ("Hugo Boss", "Stylist"),
    ("Case Studies", "Author"),
]
SHAPES = [
    "<h3>{0}</h3><p>{1}</p>",
    "<p>{0}, {1}</p>",
    "<ul><li>{0}</li><li>{1}</li></ul>",
    "<p>{1}: {0}</p>",
    "<td>{0}</td><td>{1}</td>",
]


@pytest.mark.parametrize("shape", SHAPES)
def test_fields_of_work_places_brands_and_menus_are_no_people(shape):
    assert people("".join(shape.format(*field) for field in FIELDS)) == []
    assert [people(shape.format(*field)) for field in FIELDS] == [[]] * len(FIELDS)


def test_an_uncommon_name_is_believed_where_something_speaks_for_it():
    assert people("<p>Geschäftsführer: Xhevdet Krasniqi") == ["Xhevdet Krasniqi"]
    assert people("<p>Vertreten durch<br>Xhevdet Krasniqi</p>") == ["Xhevdet Krasniqi"]
    team = [("Anna Berg", "Partner"), ("Jonas Hahn", "Partner"), ("Xhevdet Krasniqi", "Berater")]
    assert len(people("".join(f"<h4>{name}</h4><p>{role}</p>" for name, role in team))) == 3
    card = "<h4>Xhevdet Krasniqi</h4><p>Berater</p><p>x.krasniqi@beispiel-bau.de</p>"
    assert people(card) == ["Xhevdet Krasniqi"]


def addresses(body, country, domain=None):
    return [address.text for address in page(body, domain, country).addresses]


@pytest.mark.parametrize(
    ("country", "line"),
    [
        ("DE", "Unfall auf der Lindenstraße: 4 Verletzte, Stuttgart"),
        ("DE", "Platz 3 für die Turner, Dortmund"),
        ("DE", "Bürger fordern Tempo 30 im Lindenweg, Freiburg"),
        ("DE", "Audi A6 Touring 3, 110 kW, Hamburg"),
        ("DE", "Catering 24, Hannover (dpa)"),
        ("FR", "Accident rue Nationale : 3 blessés, Lille"),
        ("FR", "Place 1 au classement, Marseille"),
        ("ES", "Calle 13 gana 3 premios, San Juan"),
        ("IT", "Corso di cucina 5 lezioni, Torino"),
        ("GB", "Street food festival 2023, Manchester"),
        ("US", "Man, 25, shot on Main Street, Chicago, IL"),
        ("US", "2019 Toyota Camry SE, Drive 4, Austin, TX"),
        ("NL", "Ongeluk op de Kerkstraat: 2 gewonden, Utrecht"),
        ("PL", "Wypadek na ul. Długiej, 3 osoby ranne, Kraków"),
        ("SE", "Olycka på Storgatan, 2 skadade, Malmö"),
        ("BR", "Acidente na Rua Augusta, 2 feridos, São Paulo (SP)"),
        ("AT", "Hauptplatz Fest 12<br>2023 Graz"),
        ("CH", "Bahnhofplatz Konzert 7<br>2019 Luzern"),
        ("DK", "Torvet 5 år<br>2020 København"),
        ("HU", "Fő tér koncert 5<br>2018 Budapest"),
        ("AT", "Ringstraße 5 Sommer 2019 Salzburg"),
    ],
)
def test_headlines_data_sheets_and_years_are_no_addresses(country, line):
    body = f"<h2>Kontakt</h2><p>{line}</p><p>Redaktion</p><p>Tel. 0711 2234567, redaktion@zeitung.test</p>"
    assert addresses(body, country) == []


@pytest.mark.parametrize(
    ("country", "line"),
    [
        ("AT", "Ringstraße 5<br>2020 Hollabrunn"),
        ("AT", "Ringstraße 5, 2020 Hollabrunn"),
        ("BE", "Lange Nieuwstraat 43<br>2000 Antwerpen"),
        ("CH", "Rue du Rhône 12<br>1950 Sion"),
        ("DK", "Falkoner Allé 7<br>2000 Frederiksberg"),
        ("DE", "Lindenweg 5, Leipzig"),
        ("IT", "Via Mazzini 31, Rimini"),
        ("BR", "R. das Flores, 88 - Centro, Campinas - SP"),
    ],
)
def test_addresses_with_codes_like_years_or_without_codes_stay(country, line):
    body = f"<h2>Kontakt</h2><p>{line}</p><p>Tel. 0711 2234567, info@zeitung.test</p>"
    assert len(addresses(body, country)) == 1


def test_vendors_in_a_privacy_policy_are_not_the_organisation():
    text = (
        "Diese Website benutzt einen Dienst der {}. Die erzeugten Informationen über Ihre Benutzung dieser "
        "Website werden in der Regel an einen Server übertragen und gespeichert. Weiteres finden Sie dort."
    )
    for vendor in (
        "Acme Analytics Inc., 500 Howard Street, San Francisco, CA 94105, USA",
        "etracker GmbH, Erste Brunnenstraße 1, 20459 Hamburg",
        "Bright Metrics Ltd, 12 High Street, London SW1A 1AA, United Kingdom",
    ):
        assert addresses(f"<p>{text.format(vendor)}</p>", "DE", "beispiel-bau.de") == []
