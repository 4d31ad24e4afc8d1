"""Type and priority of pages by URL, link text and title, in many languages (R072, R076, R243)."""

from time import process_time
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapersky.extract.pagetypes import classify_url
from scrapersky.extract.pagetypes.topics import PAGE_TYPES, TOPICS
from scrapersky.extract.pagetypes.vocabulary import lexicon, spellings

# Page type, and names of such pages; each name is tried in several dresses.
NAMES = {
    "contact_root": """
        contact contact-us kontakt kontakty contatti contacto contato contactez-nous nous-contacter
        kapcsolat elérhetőség iletişim επικοινωνία контакты контакти yhteystiedot kontaktid kontakti
        kontaktai お問い合わせ 联系我们 聯絡我們 문의하기 اتصل-بنا צור-קשר liên-hệ hubungi-kami
        ติดต่อเรา contacteer-ons kontakta-oss kontakt-oss kontaktujte-nás fale-conosco contactați-ne
        kontaktirajte-nas get-in-touch ota-yhteyttä susisiekite hafa-samband संपर्क
    """,
    "legal_root": """
        impressum imprint mentions-légales aviso-legal note-legali colofon impresszum tiráž künye
        datenschutz privacy-policy politique-de-confidentialité política-de-privacidad
        polityka-prywatności tietosuojaseloste personvern integritetspolicy adatvédelem
        gizlilik-politikası реквизиты impresum политика-конфиденциальности プライバシーポリシー
        隐私政策 개인정보처리방침 سياسة-الخصوصية מדיניות-פרטיות chính-sách-bảo-mật kebijakan-privasi
        agb terms-and-conditions regulamin obchodní-podmínky legal-notice privatumo-politika
        privātuma-politika privaatsuspoliitika
    """,
    "about_root": """
        about about-us über-uns à-propos qui-sommes-nous quienes-somos sobre-nosotros chi-siamo
        quem-somos sobre-nós over-ons o-nas o-nás rólunk despre-noi om-oss om-os meistä meist par-mums
        apie-mus σχετικά-με-εμάς hakkımızda о-нас о-компании про-нас за-нас o-nama 会社概要 关于我们
        회사소개 من-نحن אודות giới-thiệu tentang-kami เกี่ยวกับเรา um-okkur company our-story
    """,
    "team_root": """
        team our-team unser-team équipe notre-équipe equipo il-nostro-team equipa medewerkers zespół
        náš-tým csapatunk echipa medarbetare ansatte medarbejdere henkilökunta meeskond komanda
        η-ομάδα-μας ekibimiz команда сотрудники співробітники екип naš-tim zaposleni スタッフ紹介 团队
        팀소개 فريق-العمل הצוות-שלנו đội-ngũ tim-kami ทีมงาน meet-the-team staff mitarbeiter
    """,
    "services_root": """
        services leistungen prestations servicios servizi serviços diensten usługi služby
        szolgáltatások servicii tjänster tjenester ydelser palvelut teenused pakalpojumi paslaugos
        υπηρεσίες hizmetlerimiz услуги послуги usluge storitve 事業内容 服务项目 서비스 خدماتنا שירותים
        dịch-vụ layanan บริการ what-we-do
    """,
    "menu_root": """
        menu speisekarte la-carte carta menù cardápio menukaart jelovnik étlap meniu ruokalista
        メニュー 菜单
    """,
    "pricing_root": """
        pricing preise tarifs precios prezzi preços tarieven cennik ceník árak prețuri priser hinnasto
        hinnakiri cenrādis kainos τιμοκατάλογος fiyatlar цены ціни cjenik 料金 价格 가격 الأسعار מחירון
        bảng-giá
    """,
    "career": """
        careers jobs stellenangebote recrutement empleo lavora-con-noi trabalhe-conosco vacatures
        kariera kariéra állások cariere lediga-jobb ledige-stillinger työpaikat vakances karjera
        καριέρα kariyer вакансии вакансії karijera 採用情報 招聘 채용 وظائف דרושים tuyển-dụng
        lowongan-kerja ร่วมงานกับเรา
    """,
    "location": """
        locations standorte anfahrt nos-agences sucursales dove-siamo localização vestigingen
        lokalizacja pobočky nyitvatartás locații hitta-hit åpningstider toimipisteet asukoht
        şubelerimiz филиалы філії poslovnice アクセス 门店 오시는길 فروعنا סניפים chi-nhánh cabang สาขา
        opening-hours
    """,
    "press": """
        press presse prensa stampa imprensa persberichten sajtó basın пресс-центр プレスリリース
        media-kit
    """,
    "blog": """
        blog ブログ 블로그 المدونة בלוג
    """,
    "news": """
        news aktuelles actualités noticias notizie notícias nieuws aktualności novinky hírek
        noutăți nyheter nyheder uutiset uudised jaunumi naujienos νέα haberler новости новини
        novosti 新闻 tin-tức berita ข่าวสาร
    """,
    "product": """
        products produkte produits productos prodotti produtos producten produkty termékek produse
        produkter tuotteet tooted produkti προϊόντα ürünler продукция proizvodi 製品情報 产品 제품
        منتجاتنا shop
    """,
    "gallery": """
        gallery galerie galería galleria galeria fotos galéria galleri kuvat galerija galeri фото
        ギャラリー
    """,
    "testimonials": """
        testimonials reviews bewertungen avis-clients opiniones recensioni depoimentos отзывы opinie
    """,
    "portfolio": """
        portfolio projects projekte réalisations proyectos progetti realizacje referenzen проекты
        施工事例
    """,
    "faq": """
        faq faqs häufige-fragen preguntas-frecuentes domande-frequenti gyik sss よくある質問 常见问题
    """,
}
CASES = [(kind, name) for kind, names in NAMES.items() for name in names.split()]


def dresses(name):
    """The ways in which sites write one name."""
    yield f"https://example.com/{name}"
    yield f"https://example.com/{quote(name)}/"
    yield f"https://example.com/de/{quote(name)}.html"
    yield f"https://example.com/{name.title()}.php?lang=de"
    yield f"https://example.com/index.php/{name}"
    yield f"https://example.com/{name.replace('-', '_')}.aspx"
    yield f"https://example.com/{name.replace('-', '')}"
    yield f"https://example.com/?page={quote(name)}"
    yield f"https://example.com/en-gb/{name}-2/"


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_a_page_is_known_by_its_name_in_every_dress(kind, name):
    for url in dresses(name):
        assert classify_url(url).page_type == kind, url


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/o-kompanii", "about_root"),
        ("/o-nas", "about_root"),
        ("/kontaktnaya-informatsiya", "contact_root"),
        ("/vakansii", "career"),
        ("/uslugi", "services_root"),
        ("/tseny", "pricing_root"),
        ("/ceny", "pricing_root"),
        ("/epikoinonia", "contact_root"),
        ("/ypiresies", "services_root"),
        ("/ueber-uns", "about_root"),
        ("/uber-uns", "about_root"),
        ("/aabningstider", "location"),
        ("/oeffnungszeiten", "location"),
        ("/iletisim", "contact_root"),
        ("/lien-he", "contact_root"),
        ("/za-nas", "about_root"),
        ("/pro-nas", "about_root"),
        ("/poslugy", "services_root"),
        ("/otoiawase", "contact_root"),
        ("/lianxiwomen", "contact_root"),
    ],
)
def test_names_in_latin_letters_are_known(path, kind):
    assert classify_url("https://example.com" + path).page_type == kind


@pytest.mark.parametrize(
    ("path", "kind", "priority", "excluded"),
    [
        ("", "home", 1, False),
        ("/", "home", 1, False),
        ("/index.html", "home", 1, False),
        ("/de/", "home", 1, False),
        ("/index_en.html", "home", 1, False),
        ("/index-2.php", "home", 1, False),
        ("/startseite", "home", 1, False),
        ("/contact", "contact_root", 1, False),
        ("/careers/contact-us", "career_contact", 1, False),
        ("/jobs/kontakt.html", "career_contact", 1, False),
        ("/career-contact", "career_contact", 1, False),
        ("/legal/privacy", "legal_root", 1, False),
        ("/legal/eula", "legal_root", 2, False),
        ("/impressum", "legal_root", 1, False),
        ("/team/jane-doe", "team_root", 1, False),
        ("/locations/berlin", "location", 2, False),
        ("/about/history", "about_root", 1, False),
        ("/leistungen/zahnreinigung", "services_root", 2, False),
        ("/kontakt/ueber-mich.html", "about_root", 1, False),
        ("/shop/contact", "contact_root", 1, False),
        ("/blog/contact-lenses-or-glasses", "blog", 3, False),
        ("/blog/how-we-contact-customers", "blog", 3, False),
        ("/contact-lenses", "unknown", 2, False),
        ("/kontaktlinsen", "unknown", 2, False),
        ("/team-building", "unknown", 2, False),
        ("/product/red-shoe", "product", 3, False),
        ("/product-category/shoes", "category", 3, False),
        ("/category/news", "category", 3, False),
        ("/tag/team", "tag", 3, False),
        ("/author/jane", "archive", 3, False),
        ("/2024/05/01/hello-world", "blog", 3, False),
        ("/2024/05/", "archive", 3, False),
        ("/blog/page/3", "archive", 3, False),
        ("/?p=12", "wp_prospect", 2, False),
        ("/?page_id=12", "wp_prospect", 2, False),
        ("/wp-admin/", "wp_prospect", 3, False),
        ("/wp-content/themes/x/", "wp_prospect", 3, False),
        ("/wp-content/uploads/contact.jpg", "media", 3, True),
        ("/contact.pdf", "media", 3, True),
        ("/team.vcf", "media", 3, True),
        ("/feed/", "feed", 3, True),
        ("/contact/feed/", "feed", 3, True),
        ("/?feed=rss2", "feed", 3, True),
        ("/rss.xml", "feed", 3, True),
        ("/sitemap_index.xml", "sitemap", 3, True),
        ("/sitemap", "sitemap", 3, False),
        ("/cart", "account", 3, True),
        ("/warenkorb", "account", 3, True),
        ("/login.php", "account", 3, True),
        ("/?s=contact", "search", 3, True),
        ("/search?q=contact", "search", 3, True),
        ("/index.php?option=com_contact&view=contact&id=3", "contact_root", 1, False),
        ("/index.php?route=information/contact", "contact_root", 1, False),
        ("/#!/contact", "contact_root", 1, False),
        ("/#contact", "contact_root", 1, False),
        ("/#top", "home", 1, False),
        ("/ueber_uns_de.htm", "about_root", 1, False),
        ("/breach/europa.jobs", "unknown", 2, False),
        ("/blog/all/news/some-story", "news", 3, False),
        ("/sp/index.html", "home", 1, False),
        ("/events/summer-party", "event", 3, False),
        ("/foo", "unknown", 2, False),
        ("/a/b/c/d", "unknown", 3, False),
        ("/home-care", "unknown", 2, False),
        ("/menuiserie", "unknown", 2, False),
        ("/unsere-kanzlei", "about_root", 1, False),
        ("/termin-vereinbaren", "booking", 2, False),
    ],
)
def test_a_page_has_a_type_a_priority_and_a_place(path, kind, priority, excluded):
    found = classify_url("https://example.com" + path)
    assert (found.page_type, found.priority, found.is_excluded) == (kind, priority, excluded), found
    assert found.reason
    assert 0 < found.confidence <= 1


@pytest.mark.req("R243")
def test_every_type_of_the_original_is_reachable():
    # R243: contact_root and unknown among them, with priorities 1 to 3.
    original = (
        "contact_root career_contact about_root services_root menu_root pricing_root team_root legal_root"
    )
    urls = ("contact", "careers/contact", "about", "services", "menu", "pricing", "team", "impressum")
    assert [classify_url(f"https://e.com/{name}").page_type for name in urls] == original.split()
    assert {*original.split(), "wp_prospect", "unknown"} <= set(PAGE_TYPES)
    assert all(topic.priority in (1, 2, 3) and topic.below in (1, 2, 3) for topic in TOPICS.values())
    assert all(len(kind) <= 50 for kind in PAGE_TYPES)


@pytest.mark.parametrize(
    ("url", "anchor", "title", "kind"),
    [
        ("https://e.com/x17", "Kontakt", "", "contact_root"),
        ("https://e.com/x17", "Nous contacter", "", "contact_root"),
        ("https://e.com/x17", "", "Impressum | Firma GmbH", "legal_root"),
        ("https://e.com/x17", "", "Firma GmbH – Unser Team", "team_root"),
        ("https://e.com/x17", "read more", "Something", "unknown"),
        ("https://e.com/?p=7", "Contact us", "", "contact_root"),
        ("https://e.com/blog/our-new-team", "Team", "Team", "blog"),
        ("https://e.com/contact.pdf", "Contact", "Contact", "media"),
        ("https://e.com/impressum", "Kontakt", "", "legal_root"),
        ("https://e.com/kontakt/anna", "Team", "", "team_root"),
        ("https://e.com/", "Kontakt", "", "home"),
    ],
)
def test_link_text_and_title_are_witnesses(url, anchor, title, kind):
    assert classify_url(url, anchor=anchor, title=title).page_type == kind


def test_agreement_makes_surer():
    alone = classify_url("https://e.com/contact-berlin")
    agreed = classify_url("https://e.com/contact-berlin", anchor="Contact", title="Contact – Firm")
    assert agreed.confidence > alone.confidence
    assert "link text" in agreed.reason
    assert "title" in agreed.reason


def test_the_words_cover_many_languages():
    languages = {word.language for word in lexicon().values()}
    assert len(languages) >= 35
    for topic in ("contact", "imprint", "privacy", "about", "team", "services", "career", "location"):
        assert len({word.language for word in lexicon().values() if word.topic == topic}) >= 20, topic


def test_a_word_is_known_in_all_its_spellings():
    assert {"überuns", "uberuns", "ueberuns"} - {"überuns"} <= set(spellings("über uns"))
    assert {"okompanii", "окомпании"} <= set(spellings("о компании"))
    assert "ypiresies" in set(spellings("υπηρεσίες"))


URLS = st.lists(
    st.sampled_from(
        ["https://", "e.com", "/", "kontakt", "ü", "%", "%C3", "?", "page=", "&", "#!/", "-", ".", "php"]
    )
    | st.text(max_size=8),
    max_size=12,
).map("".join)


@given(URLS, st.text(max_size=60), st.text(max_size=80))
@settings(max_examples=400, deadline=None)
def test_nothing_raises_and_the_same_gives_the_same(url, anchor, title):  # D16
    found = classify_url(url, anchor=anchor, title=title)
    assert found == classify_url(url, anchor=anchor, title=title)
    assert found.page_type in PAGE_TYPES
    assert found.priority in (1, 2, 3)
    assert 0 < found.confidence < 1


@pytest.mark.reliability
@given(URLS, st.text(max_size=60), st.text(max_size=80))
@settings(max_examples=10_000, deadline=None)
def test_nothing_raises_in_ten_thousand_cases(url, anchor, title):  # D16
    assert classify_url(url, anchor=anchor, title=title).page_type in PAGE_TYPES


@pytest.mark.timed
@pytest.mark.parametrize(
    "piece", ["/a", "-a", "a", "%41", "ü", "会", "&page=a", "/kontakt", "A", "?", "|", " - "]
)
def test_time_grows_with_the_input_and_no_faster(piece):
    def seconds(size):
        text = piece * (size // len(piece))
        started = process_time()
        for number in range(30):
            classify_url(f"https://e.com/{number}{text}", anchor=f"{number}{text}", title=f"{number}{text}")
        return process_time() - started

    classify_url("https://e.com/")
    assert seconds(40_000) <= 8 * max(seconds(10_000), 0.02)
