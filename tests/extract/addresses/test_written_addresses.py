"""Addresses as pages of many countries write them, each with its country as a hint."""

import pytest

from scrapersky.extract.page import read_page
from scrapersky.extract.results import Hints


def addresses(html, country=None):
    return read_page(f"<html><body>{html}</body></html>".encode(), Hints(country, None, "")).addresses


@pytest.mark.parametrize(
    ("country", "html", "street"),
    [
        (
            "CO",
            "<h2>Contacto</h2><p>Carrera 43A # 14-109, El Poblado, Medellín</p><p>Tel: +57 604 312 4455</p>",
            "Carrera 43A",
        ),
        (
            "CO",
            "<h2>Contáctenos</h2><p>Calle 93 No. 11-26 Oficina 402, Bogotá D.C., Colombia</p>",
            "Calle 93",
        ),
        (
            "PE",
            "<h2>Contacto</h2><p>Av. Javier Prado Este 2465, San Borja, Lima</p><p>Teléfono: (01)"
            " 475-3300</p>",
            "Javier Prado Este 2465",
        ),
        (
            "CL",
            "<p>Contacto</p><p>Avenida Apoquindo 4501, Las Condes, Santiago</p><p>+56 2 2345 6677</p>",
            "Apoquindo 4501",
        ),
        (
            "GH",
            "<h2>Contact</h2><p>No. 14 Osu Badu Street, Airport West, Accra</p><p>Tel: +233 30 277 1122</p>",
            "14 Osu Badu Street",
        ),
        ("GH", "<h2>Contact</h2><p>House No. C12, Ring Road East<br>Accra, Ghana</p>", "Ring Road East"),
        (
            "LB",
            "<h2>Contact us</h2><p>Hamra Street, Sarroulla Bldg, 5th Floor<br>Beirut, Lebanon</p>"
            "<p>+961 1 354 678</p>",
            "Hamra Street",
        ),
        (
            "PH",
            "<h2>Contact Us</h2><p>Unit 1204 Cityland Tower, 128 Pioneer Street, Mandaluyong City"
            "</p><p>Tel: (02) 8634 1122</p>",
            "128 Pioneer Street",
        ),
        (
            "BG",
            "<h2>Контакти</h2><p>гр. Пловдив, ул. Иван Вазов 27</p><p>тел. 032 645 112</p>",
            "Иван Вазов 27",
        ),
        ("BG", "<h2>Контакти</h2><p>ул. „Граф Игнатиев“ 38, София</p><p>тел. 02 987 1234</p>", "38"),
        ("KE", "<h2>Contact</h2><p>P.O. Box 30197-00100, Nairobi</p><p>Tel: +254 20 271 5566</p>", "30197"),
        (
            "IN",
            "<h2>Contact</h2><p>204, Shanti Complex, Opp. Town Hall, Ellisbridge, Ahmedabad -"
            " 380006, Gujarat</p>",
            "Shanti Complex",
        ),
        ("IN", "<h2>Reach us</h2><p>Plot No. 45, Sector 18<br>Gurugram, Haryana 122015</p>", "Plot No. 45"),
        (
            "IN",
            "<h2>Address</h2><p>#27, 3rd Cross, 5th Main<br>Jayanagar 4th Block<br>Bengaluru – 560 011</p>",
            "3rd Cross",
        ),
        ("GB", "<p>Visit us: 88 Goswell Road, London EC1V 7DB</p>", "88 Goswell Road"),
        ("GB", "<p>Suite 4, 11 Arundel Street<br>London<br>WC2R 3DX</p>", "11 Arundel Street"),
        ("GB", "<p>24 Charles II Street, London SW1Y 4QU</p>", "24 Charles II Street"),
        (
            "SG",
            "<h2>Contact</h2><p>71 Ayer Rajah Crescent, #03-12, Singapore 139951</p>",
            "71 Ayer Rajah Crescent",
        ),
        (
            "SG",
            "<h2>Contact</h2><p>10 Anson Road<br>#21-07 International Plaza<br>Singapore 079903</p>",
            "10 Anson Road",
        ),
        (
            "HK",
            "<h2>Contact</h2><p>Unit 1203, 12/F, Wing On House, 71 Des Voeux Road Central, Hong Kong</p>",
            "71 Des Voeux Road",
        ),
        ("HK", "<h2>聯絡我們</h2><p>地址：香港九龍尖沙咀廣東道30號新港中心12樓</p>", "廣東道30號"),
        ("TW", "<h2>聯絡我們</h2><p>地址：台北市信義區松仁路100號8樓</p>", "松仁路100號"),
        (
            "TW",
            "<h2>Contact</h2><p>8F., No. 100, Songren Rd., Xinyi Dist., Taipei City 110, Taiwan</p>",
            "Songren",
        ),
        ("JP", "<h2>会社概要</h2><p>〒150-0043 東京都渋谷区道玄坂1-12-1</p>", "道玄坂1-12-1"),
        (
            "JP",
            "<h2>Contact</h2><p>1-12-1 Dogenzaka, Shibuya-ku, Tokyo 150-0043, Japan</p>",
            "1-12-1 Dogenzaka",
        ),
        ("KR", "<h2>오시는 길</h2><p>서울특별시 강남구 테헤란로 152, 12층</p>", "테헤란로 152"),
        ("CN", "<h2>联系我们</h2><p>地址：上海市浦东新区张江路368号 邮编：201203</p>", "张江路368号"),
        ("FR", "<p>12 rue des Lilas<br>33074 Bordeaux cedex</p>", "12 rue des Lilas"),
        (
            "FR",
            "<p>BP 40217, 54506 Vandoeuvre-lès-Nancy cedex</p><p>7 allée de la Forêt, 54506"
            " Vandoeuvre-lès-Nancy cedex</p>",
            "7 allée de la Forêt",
        ),
        ("US", "<p>123 Juniper Avenue, Boise, ID 83702</p>", "123 Juniper Avenue"),
        ("US", "<p>1234 Larkspur Road<br>Eugene, OR 97401</p>", "1234 Larkspur Road"),
        ("DE", "<p>Gerberstraße 123<br>71522 Backnang<br>Deutschland</p>", "Gerberstraße 123"),
        (
            "IT",
            '<script type="application/ld+json">{"@type":"LocalBusiness","name":"Forno",'
            '"address":"Via IV Novembre 17, 38121 Trento TN"}'
            "</script><p>Via IV Novembre 17, Trento</p>",
            "Via IV Novembre 17",
        ),
        (
            "US",
            '<script type="application/ld+json">{"@context":"https://schema.org","@type":"Restaurant","name":"Lark",'
            '"address":"455 Alder Street, Portland, OR 97204"}'
            "</script><p>Welcome</p>",
            "455 Alder Street",
        ),
        ("IT", "<p>Via 4 Novembre 21<br>38066 Riva del Garda (TN)</p>", "Via 4 Novembre 21"),
        ("PL", "<p>ul. 3 Maja 14<br>40-096 Katowice</p>", "3 Maja 14"),
        ("PT", "<p>Rua 25 de Abril 12<br>2500-187 Caldas da Rainha</p>", "25 de Abril 12"),
        ("TR", "<p>Adres: 9 Eylül Caddesi No: 14, 35110 Konak / İzmir</p>", "9 Eylül"),
        ("MD", "<p>str. 31 August 1989, 121a<br>MD-2012 Chișinău</p>", "31 August"),
        ("IL", "<p>Yizhak Sadeh 29<br>64739 Tel Aviv-Yafo<br>Israel</p>", "Sadeh 29"),
        ("IL", "<h2>צור קשר</h2><p>רחוב הרצל 45, תל אביב</p><p>טלפון: 03-5551234</p>", "הרצל 45"),
        ("SA", "<h2>اتصل بنا</h2><p>شارع الملك فهد 1250، الرياض 12271</p>", "الملك فهد"),
        ("GR", "<p>Λεωφόρος Κηφισίας 124<br>115 26 Αθήνα</p>", "Κηφισίας 124"),
        ("RU", "<p>630099, г. Новосибирск, ул. Советская, д. 18</p>", "Советская"),
        ("UA", "<p>вул. Франка, 15, м. Львів, 79005</p>", "Франка"),
        ("ID", "<p>Alamat: Jl. Pemuda No. 88, Semarang, Jawa Tengah 50132</p>", "Pemuda No. 88"),
        ("NG", "<h2>Contact</h2><p>27 Admiralty Way, Lekki Phase 1, Lagos, Nigeria</p>", "27 Admiralty Way"),
        (
            "MX",
            "<p>Av. Insurgentes Sur 1647, Col. San José Insurgentes, C.P. 03900, Ciudad de México</p>",
            "Insurgentes Sur 1647",
        ),
    ],
)
def test_the_street_is_found(country, html, street):
    assert any(street in f"{address.street} {address.text}" for address in addresses(html, country))


@pytest.mark.parametrize(
    "html",
    [
        "<h2>Runway 27 Collection</h2><p>Trench Coat 1450, Milan, Italy</p>",
        "<h1>Tours</h1><p>Walking Tour 3<br>Lisbon<br>Portugal</p>",
        "<p>Founded 12 March 1988 in Ghent, Belgium</p>",
        "<p>Room 12, Gallery West, until 4 November 2025</p>",
        "<p>Model 4000 Drive<br>Bosch<br>Germany</p>",
        "<p>Highway to Hell, 1979, AC/DC, Australia</p>",
        "<pre>const place = 12; // Main Road</pre>",
        "<p>Article 12, Paragraph 3 of the Act of 2004, Ireland</p>",
        "<ul><li>Menu 3</li><li>Pizza 12</li><li>Italy</li></ul>",
    ],
)
def test_what_is_no_address_gives_none_that_is_sure(html):
    assert [address.text for address in addresses(html) if address.confidence >= 0.9] == []
