"""Addresses of the world, as letters and web pages write them: each on lines of its own, and on one line."""

from __future__ import annotations

import html
import re
import unicodedata

import pytest

from scrapersky.extract.page import read_page
from scrapersky.extract.results import Hints

# Country, lines, what must be in the address: the street with its number, and the city.
WORLD = """
AE | Al Noor Clinic ~ Al Wasl Road 412 ~ Dubai ~ United Arab Emirates | Al Wasl Road 412 | Dubai
AE | Office 304, Saba Tower ~ 22 Sheikh Zayed Road ~ Dubai | 22 Sheikh Zayed Road | Dubai
AR | Mitre 450 ~ 8400 San Carlos de Bariloche ~ Argentina | Mitre 450 | Bariloche
AT | Café Linde ~ Lerchenfelder Straße 12 ~ 1080 Wien ~ Österreich | Lerchenfelder Straße 12 | Wien
AL | Rruga Myslym Shyri 24 ~ 1001 Tirana ~ Albania | Rruga Myslym Shyri 24 | Tirana
AO | Rua Rainha Ginga 88 ~ Luanda ~ Angola | Rua Rainha Ginga 88 | Luanda
AW | Caya Betico Croes 51 ~ Oranjestad ~ Aruba | Caya Betico Croes 51 | Oranjestad
AZ | Nizami küçəsi 103 ~ AZ1000 Bakı ~ Azərbaycan | Nizami küçəsi 103 | Bakı
BB | 12 Broad Street ~ Bridgetown ~ BB11000 ~ Barbados | 12 Broad Street | Bridgetown
BE | Bakkerij Molen ~ Kerkstraat 41 ~ 9000 Gent ~ België | Kerkstraat 41 | Gent
BG | ул. Шипка 34 ~ 1504 София ~ България | Шипка 34 | София
BI | Avenue de la Mission 7 ~ Bujumbura ~ Burundi | Avenue de la Mission 7 | Bujumbura
BN | No. 14, Jalan Sultan ~ Bandar Seri Begawan BS8811 ~ Brunei | 14 Jalan Sultan | Bandar Seri Begawan
BS | 45 Bay Street ~ Nassau ~ The Bahamas | 45 Bay Street | Nassau
BY | вуліца Леніна 12 ~ 220030 Мінск ~ Беларусь | вуліца Леніна 12 | Мінск
BY | ул. Ленина, 12 ~ 220030, г. Минск | Ленина 12 | Минск
CA | 415 Yonge Street ~ Toronto ON M5B 2E7 ~ Canada | 415 Yonge Street | Toronto
CD | 12 Avenue Kasavubu ~ Kinshasa ~ République démocratique du Congo | 12 Avenue Kasavubu | Kinshasa
CG | 24 Avenue Foch ~ Brazzaville ~ Congo | 24 Avenue Foch | Brazzaville
CI | 15 Boulevard Latrille ~ Abidjan ~ Côte d'Ivoire | 15 Boulevard Latrille | Abidjan
CL | Panadería Sol ~ Los Carrera 1241 ~ 4030000 Concepción ~ Chile | Los Carrera 1241 | Concepción
CL | Merced 738 ~ Santiago ~ Chile | Merced 738 | Santiago
CN | 88 Jianguo Road, Chaoyang District ~ Beijing 100022 ~ China | 88 Jianguo Road | Beijing
CR | Avenida Central 1204 ~ 10101 San José ~ Costa Rica | Avenida Central 1204 | San José
CV | Rua Andrade Corvo 30 ~ 7600 Praia ~ Cabo Verde | Rua Andrade Corvo 30 | Praia
CZ | Vodičkova 17 ~ 110 00 Praha ~ Česko | Vodičkova 17 | Praha
DM | 21 Great George Street ~ Roseau ~ Dominica | 21 Great George Street | Roseau
DZ | 23 Rue Didouche Mourad ~ 16000 Alger ~ Algérie | 23 Rue Didouche Mourad | Alger
EE | Pikk 45 ~ 10133 Tallinn ~ Eesti | Pikk 45 | Tallinn
ES | Calle Mayor, 31 ~ 50001 Zaragoza ~ España | Calle Mayor 31 | Zaragoza
FI | Mannerheimintie 22 ~ 00100 Helsinki ~ Suomi | Mannerheimintie 22 | Helsinki
FO | Niels Finsens gøta 12 ~ 100 Tórshavn ~ Faroe Islands | Niels Finsens gøta 12 | Tórshavn
GA | 18 Boulevard du Bord de Mer ~ Libreville ~ Gabon | 18 Boulevard du Bord de Mer | Libreville
GH | 14 Oxford Street ~ Accra ~ Ghana | 14 Oxford Street | Accra
GH | 14 Oxford Street ~ Accra GA-184-9020 ~ Ghana | 14 Oxford Street | Accra
GL | Imaneq 18 ~ 3900 Nuuk ~ Greenland | Imaneq 18 | Nuuk
GY | 67 Main Street ~ Georgetown ~ Guyana | 67 Main Street | Georgetown
HR | Ilica 52 ~ 10000 Zagreb ~ Hrvatska | Ilica 52 | Zagreb
HU | 1052 Budapest ~ Váci utca 23. ~ Magyarország | Váci utca 23 | Budapest
IE | Harbour Books ~ 14 Shop Street ~ Galway ~ H91 W2RT ~ Ireland | 14 Shop Street | Galway
IE | 14 Patrick Street ~ Cork ~ Ireland | 14 Patrick Street | Cork
IR | خیابان ولیعصر 120 ~ تهران ~ ایران | خیابان ولیعصر 120 | تهران
IR | No. 120, Valiasr Street ~ Tehran ~ Iran | 120 Valiasr Street | Tehran
IT | Via Garibaldi 14 ~ 10122 Torino TO ~ Italia | Via Garibaldi 14 | Torino
JM | 17 Harbour Street ~ Kingston ~ Jamaica | 17 Harbour Street | Kingston
JP | 〒150-0002 ~ 東京都渋谷区渋谷2丁目21-1 | 渋谷2丁目21-1 | 渋谷区
JP | 2-21-1 Shibuya ~ Shibuya-ku, Tokyo 150-0002 ~ Japan | 2-21-1 Shibuya | Tokyo
JP | 1-9-2 Marunouchi, Chiyoda-ku ~ Tokyo 100-0005 | 1-9-2 Marunouchi | Tokyo
KG | улица Киевская 77 ~ 720040 Бишкек ~ Кыргызстан | улица Киевская 77 | Бишкек
KR | 서울특별시 강남구 테헤란로 152 ~ 06236 ~ 대한민국 | 테헤란로 152 | 서울
KR | 152 Teheran-ro, Gangnam-gu ~ Seoul 06236 ~ South Korea | 152 Teheran-ro | Seoul
KY | 90 Fort Street ~ George Town ~ KY1-1108 ~ Cayman Islands | 90 Fort Street | George Town
LA | Rue Setthathirath 44 ~ 01000 Vientiane ~ Laos | Rue Setthathirath 44 | Vientiane
LC | 8 Bridge Street ~ Castries ~ Saint Lucia | 8 Bridge Street | Castries
LK | 48 Galle Road ~ Colombo ~ 00300 ~ Sri Lanka | 48 Galle Road | Colombo
LK | No 48, Galle Road, Colombo 03 ~ Sri Lanka | 48 Galle Road | Colombo
LS | 22 Kingsway ~ Maseru 100 ~ Lesotho | 22 Kingsway | Maseru
LU | 12, rue de Bonnevoie ~ L-1260 Luxembourg | 12 rue de Bonnevoie | Luxembourg
LY | شارع عمر المختار 44 ~ طرابلس ~ ليبيا | شارع عمر المختار 44 | طرابلس
MC | 9 Rue Grimaldi ~ 98000 Monaco ~ Monaco | 9 Rue Grimaldi | Monaco
ME | Njegoševa 30 ~ 81000 Podgorica ~ Crna Gora | Njegoševa 30 | Podgorica
MG | 12 Rue Ratsimilaho ~ Antananarivo 101 ~ Madagascar | 12 Rue Ratsimilaho | Antananarivo
MK | Македонија 14 ~ 1000 Скопје ~ Македонија | Македонија 14 | Скопје
MK | ул. Македонија 14 ~ 1000 Скопје | Македонија 14 | Скопје
MM | No. 62 Merchant Street ~ Yangon ~ 11182 ~ Myanmar | 62 Merchant Street | Yangon
MQ | 18 Rue Victor Hugo ~ 97200 Fort-de-France ~ Martinique | 18 Rue Victor Hugo | Fort-de-France
MU | 5 Royal Road ~ Curepipe ~ Mauritius | 5 Royal Road | Curepipe
MW | 17 Victoria Avenue ~ Blantyre ~ Malawi | 17 Victoria Avenue | Blantyre
MY | 18, Jalan Tun Razak ~ 50400 Kuala Lumpur ~ Malaysia | 18 Jalan Tun Razak | Kuala Lumpur
NA | 44 Independence Avenue ~ Windhoek ~ Namibia | 44 Independence Avenue | Windhoek
NG | 27 Allen Avenue ~ Ikeja ~ Lagos ~ Nigeria | 27 Allen Avenue | Lagos
NG | 27 Allen Avenue ~ Ikeja 100271 ~ Lagos State ~ Nigeria | 27 Allen Avenue | Ikeja
NL | Keizersgracht 241 ~ 1016 EA Amsterdam ~ Nederland | Keizersgracht 241 | Amsterdam
NP | Durbar Marg 21 ~ 44600 Kathmandu ~ Nepal | Durbar Marg 21 | Kathmandu
NP | Durbar Marg 21 ~ Kathmandu 44600 | Durbar Marg 21 | Kathmandu
PE | Jirón Cusco 314 ~ Lima 15001 ~ Perú | Jirón Cusco 314 | Lima
PE | Calle Berlín 274 ~ 15074 Miraflores ~ Perú | Calle Berlín 274 | Miraflores
PG | 12 Musgrave Street ~ Port Moresby 121 NCD ~ Papua New Guinea | 12 Musgrave Street | Port Moresby
PK | 14 Mall Road ~ Lahore 54000 ~ Pakistan | 14 Mall Road | Lahore
PR | 301 Calle San Justo ~ San Juan PR 00901 ~ Puerto Rico | 301 Calle San Justo | San Juan
PT | Rua do Carmo 47 ~ 1200-093 Lisboa ~ Portugal | Rua do Carmo 47 | Lisboa
PY | Calle Palma 542 ~ 1209 Asunción ~ Paraguay | Calle Palma 542 | Asunción
PY | Palma 542 ~ Asunción ~ Paraguay | Palma 542 | Asunción
RS | Кнез Михаилова 12 ~ 11000 Београд ~ Србија | Кнез Михаилова 12 | Београд
RS | Knez Mihailova 12 ~ 11000 Beograd ~ Srbija | Knez Mihailova 12 | Beograd
RW | KN 4 Avenue 12 ~ Kigali ~ Rwanda | KN 4 Avenue 12 | Kigali
SD | شارع الجامعة 17 ~ الخرطوم ~ السودان | شارع الجامعة 17 | الخرطوم
SG | 28 Cecil Street #04-12, Singapore 069533 | 28 Cecil Street | Singapore
SI | Slovenska cesta 32 ~ 1000 Ljubljana ~ Slovenija | Slovenska cesta 32 | Ljubljana
SK | Obchodná 27 ~ 811 06 Bratislava ~ Slovensko | Obchodná 27 | Bratislava
SM | Via Piana 41 ~ 47890 Città di San Marino ~ San Marino | Via Piana 41 | San Marino
SO | Maka Al Mukarama Road 15 ~ Mogadishu ~ Somalia | Maka Al Mukarama Road 15 | Mogadishu
SV | Calle Arce 1045 ~ San Salvador ~ El Salvador | Calle Arce 1045 | San Salvador
SV | Calle Arce 1045 ~ 1101 - San Salvador ~ El Salvador | Calle Arce 1045 | San Salvador
SY | شارع بغداد 31 ~ دمشق ~ سوريا | شارع بغداد 31 | دمشق
TH | 99 Sukhumvit Road, Khlong Toei ~ Bangkok 10110 ~ Thailand | 99 Sukhumvit Road | Bangkok
TM | улица Гёроглы 12 ~ 744000 Ашхабад ~ Туркменистан | Гёроглы 12 | Ашхабад
TO | Taufa'ahau Road 8 ~ Nuku'alofa ~ Tonga | Taufa'ahau Road 8 | Nuku'alofa
TT | 33 Frederick Street ~ Port of Spain ~ Trinidad and Tobago | 33 Frederick Street | Port of Spain
TW | 110臺北市信義區市府路45號 | 市府路45號 | 臺北
TW | No. 45, City Hall Road ~ Xinyi District, Taipei City 110 ~ Taiwan | 45 City Hall Road | Taipei
UA | вулиця Хрещатик 22 ~ Київ ~ 01001 ~ Україна | Хрещатик 22 | Київ
UA | вул. Хрещатик, 22, Київ, 01001 | Хрещатик 22 | Київ
UY | Colonia 1210 ~ 11100 Montevideo ~ Uruguay | Colonia 1210 | Montevideo
UY | 18 de Julio 1360 ~ Montevideo ~ Uruguay | 18 de Julio 1360 | Montevideo
VE | Avenida Urdaneta 12 ~ Caracas 1010 ~ Venezuela | Avenida Urdaneta 12 | Caracas
VU | Lini Highway 20 ~ Port Vila ~ Vanuatu | Lini Highway 20 | Port Vila
WS | Beach Road 5 ~ Apia ~ Samoa | Beach Road 5 | Apia
XK | Rruga Luan Haradinaj 9 ~ 10000 Prishtina ~ Kosovo | Rruga Luan Haradinaj 9 | Prishtina
ZM | 14 Cairo Road ~ 10101 Lusaka ~ Zambia | 14 Cairo Road | Lusaka
HK | Flat B, 12/F, Wing Lok Building ~ 240 Nathan Road ~ Kowloon ~ Hong Kong | 240 Nathan Road | Kowloon
HK | Room 802, 8/F, 15 Queen's Road Central, Hong Kong | 15 Queen's Road Central | Hong Kong
HK | 香港九龍彌敦道240號8樓 | 彌敦道240號 | 九龍
BM | 14 Reid Street ~ Hamilton HM 11 ~ Bermuda | 14 Reid Street | Hamilton
VG | 12 Main Street ~ Road Town, Tortola ~ British Virgin Islands, VG1110 | 12 Main Street | Road Town
GB | 41 Lamb's Conduit Street ~ London WC1N 3NG | 41 Lamb's Conduit Street | London
GB | 3rd Floor, 16 Exmouth Market ~ London ~ EC1R 4QE | 16 Exmouth Market | London
GB | 12 Jermyn Street, St James's, London SW1Y 4UN | 12 Jermyn Street | London
GB | Somerset Wing, 140 Strand ~ London ~ WC2R 1LA ~ United Kingdom | 140 Strand | London
FR | 12 rue des Carmes ~ 44015 Nantes cedex 1 | 12 rue des Carmes | Nantes
FR | BP 412/12 rue des Carmes ~ 44015 NANTES CEDEX | 12 rue des Carmes | NANTES
IN | B-204, Green Valley Society ~ Kothrud ~ Pune 411038 ~ Maharashtra | B-204 Green Valley Society | Pune
IN | #42, 3rd Cross, Indiranagar ~ Bengaluru - 560 038 | 42 3rd Cross | Bengaluru
IN | 14/2, MG Road, Near City Mall, Indore, Madhya Pradesh, PIN: 452001 | 14/2 MG Road | Indore
IN | Village Rampur, Post Office Sadar, Dist. Meerut, U.P. 250001 | Village Rampur | Meerut
US | 123 Oak Street ~ Springfield, OR 97477 | 123 Oak Street | Springfield
US | 1234 Elm Avenue, Suite 5 ~ Boise, ID 83702 | 1234 Elm Avenue | Boise
US | 14 Harbor Lane ~ Gloucester, Massachusetts ~ 01930 | 14 Harbor Lane | Gloucester
KE | Moi Avenue 22 ~ Nairobi ~ Kenya | Moi Avenue 22 | Nairobi
KE | 2nd Floor, Kimathi House, Kimathi Street, Nairobi, Kenya | Kimathi Street | Nairobi
KE | P.O. Box 4521 - 00100 ~ Nairobi, Kenya | 4521 | Nairobi
LB | Mar Elias Street, Karam Building, 3rd floor ~ Beirut ~ Lebanon | Mar Elias Street | Beirut
LB | شارع الحمرا، بناية النور، الطابق الثالث ~ بيروت، لبنان | شارع الحمرا | بيروت
PH | 2F Cruz Building, 45 Katipunan Avenue ~ Loyola Heights, Quezon City | 45 Katipunan Avenue | Quezon City
PH | Blk 4 Lot 12 Sampaguita Street, Brgy. San Isidro ~ Antipolo City, Rizal | Sampaguita Street | Antipolo
BG | гр. Варна, бул. Сливница 112, ет. 2 | Сливница 112 | Варна
BG | Bulgaria, Sofia, 12 Tsar Shishman Str. | 12 Tsar Shishman | Sofia
CO | Cra 7 # 71-21 Torre B ~ Bogotá, Colombia | Cra 7 71-21 | Bogotá
CO | Calle 10 No. 43E-31 ~ Medellín | Calle 10 43E-31 | Medellín
CO | Transversal 93 #51-98, Bodega 4, Bogotá | Transversal 93 51-98 | Bogotá
EC | Av. Amazonas N34-451 y Atahualpa ~ Quito, Ecuador | Amazonas N34-451 | Quito
EC | Malecón 304 y Tomás Martínez ~ Guayaquil - Ecuador | Malecón 304 | Guayaquil
BO | Calle Potosí 1285 ~ La Paz, Bolivia | Calle Potosí 1285 | La Paz
GT | 6a Avenida 11-43, Zona 1 ~ Ciudad de Guatemala | 6a Avenida 11-43 | Guatemala
GT | 12 Calle 1-25 Zona 10, Edificio Géminis, Guatemala | 12 Calle 1-25 | Guatemala
PA | Calle 50, Edificio Global, piso 8 ~ Ciudad de Panamá, Panamá | Calle 50 | Panamá
HN | Boulevard Morazán, Torre Alfa, local 4 ~ Tegucigalpa, Honduras | Boulevard Morazán | Tegucigalpa
AR | San Martín 1250, Mendoza, Argentina | San Martín 1250 | Mendoza
AR | Av. Corrientes 1234, 5° B ~ CABA | Corrientes 1234 | CABA
BR | Rua Augusta, 1245 - Consolação ~ São Paulo - SP | Rua Augusta 1245 | São Paulo
VN | Số 15 Nguyễn Huệ, Phường Bến Nghé, Quận 1, TP. Hồ Chí Minh | 15 Nguyễn Huệ | Hồ Chí Minh
ID | Jl. Kemang Raya No. 18, Jakarta Selatan 12730 | Kemang Raya 18 | Jakarta
MA | 14, rue Ibn Sina, Casablanca, Maroc | 14 rue Ibn Sina | Casablanca
TN | Avenue Habib Bourguiba 41 ~ 1000 Tunis | Avenue Habib Bourguiba 41 | Tunis
SN | 12 Rue Carnot, Dakar, Sénégal | 12 Rue Carnot | Dakar
CM | Rue Joss 18 ~ Douala ~ Cameroun | Rue Joss 18 | Douala
ET | Bole Road, Friendship Building ~ Addis Ababa, Ethiopia | Bole Road | Addis Ababa
UG | Plot 14 Kampala Road ~ Kampala, Uganda | 14 Kampala Road | Kampala
TZ | Plot 231 Samora Avenue ~ Dar es Salaam, Tanzania | Samora Avenue | Dar es Salaam
ZW | 88 Nelson Mandela Avenue, Harare | 88 Nelson Mandela Avenue | Harare
QA | Building 12, Street 840, Zone 24, Doha, Qatar | Street 840 | Doha
SA | 7421 King Fahd Road ~ Riyadh 12214 ~ Saudi Arabia | 7421 King Fahd Road | Riyadh
SA | طريق الملك فهد 7421 ~ الرياض 12214 | طريق الملك فهد 7421 | الرياض
IL | רחוב הרצל 14 ~ תל אביב | רחוב הרצל 14 | תל אביב
IL | הרצל 14, תל אביב 6688312 | הרצל 14 | תל אביב
IL | 14 Herzl Street ~ Tel Aviv 6688312 ~ Israel | 14 Herzl Street | Tel Aviv
GR | Ερμού 44 ~ 105 63 Αθήνα ~ Ελλάδα | Ερμού 44 | Αθήνα
GR | Λεωφ. Κηφισίας 124, 115 26 Αθήνα | Κηφισίας 124 | Αθήνα
GR | Τσιμισκή 51, Θεσσαλονίκη, Τ.Κ. 54623 | Τσιμισκή 51 | Θεσσαλονίκη
RU | ул. Большая Дмитровка, д. 14, стр. 2 ~ Москва, 107031 | Дмитровка 14 | Москва
RU | 630099, Новосибирск, Красный проспект, 25 | Красный проспект 25 | Новосибирск
RU | г. Казань, ул. Баумана, д. 44 | Баумана 44 | Казань
IN | 14 महात्मा गांधी मार्ग, इंदौर 452001 | महात्मा गांधी मार्ग | इंदौर
TR | Bağdat Caddesi No: 214 ~ 34728 Kadıköy ~ İstanbul | Bağdat Caddesi 214 | İstanbul
TR | Atatürk Mah. 1420 Sok. No:5 Bornova / İzmir | 1420 Sok | İzmir
SE | Storgatan 12 B ~ 903 26 Umeå | Storgatan 12 | Umeå
NO | Kongens gate 4 ~ 7011 Trondheim | Kongens gate 4 | Trondheim
DK | Vestergade 14, 2. tv. ~ 8000 Aarhus C | Vestergade 14 | Aarhus
IS | Laugavegur 22 ~ 101 Reykjavík | Laugavegur 22 | Reykjavík
AU | Shop 4, 18 Smith Street ~ Fitzroy VIC 3065 | 18 Smith Street | Fitzroy
NZ | 22 Cuba Street ~ Te Aro ~ Wellington 6011 | 22 Cuba Street | Wellington
ZA | 14 Long Street ~ Cape Town ~ 8001 | 14 Long Street | Cape Town
ZA | 14 Long Street, Cape Town, Western Cape, 8001 | 14 Long Street | Cape Town
"""
ROWS = [line.split(" | ") for line in WORLD.strip().split("\n")]


def folded(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return re.findall(r"[^\W_]+", "".join(c for c in plain if not unicodedata.combining(c)))


def texts(body: str, country: str | None) -> list[str]:
    found = read_page(f"<h2>Contact</h2>{body}".encode(), Hints(country, None, "")).addresses
    return [f"{one.street} {one.text} {one.city}" for one in found]


@pytest.mark.parametrize("joint", ["<br>", ", "], ids=["lines", "line"])
@pytest.mark.parametrize(("country", "written", "street", "city"), ROWS)
def test_the_address_is_found_as_its_country_writes_it(country, written, street, city, joint):
    body = joint.join(map(html.escape, written.split(" ~ ")))
    found = texts(f"<p>{body}</p><p>info@firm.example</p>", country)
    wanted = folded(f"{street} {city}")
    assert any(sum(word in "".join(folded(one)) for word in wanted) >= 0.7 * len(wanted) for one in found)


@pytest.mark.parametrize(
    "body",
    [
        "<h2>Fairs</h2><ul><li>Hall 7, Stand 214, Hannover, Germany</li><li>IFA 2026, Berlin, Germany</li>"
        "<li>Booth 1204, Las Vegas, USA</li></ul><p>Contact us for tickets</p>",
        "<h2>News</h2><p>Boeing 737, Seattle, USA</p><p>Top 10, Paris, France</p><p>Tel: +1 206 555 0100</p>",
        "<h2>Products</h2><p>Contact</p><ul><li>Model Lyra 1200, Black, Italy</li><li>Sofa Oslo"
        " 220, Grey, Norway"
        "</li><li>Route 66, Vintage Poster, USA</li></ul><p>info@shop.example</p>",
        "<h2>References</h2><ul><li>Bridge 12, Gdansk, Poland</li><li>Tower 42, London,"
        " UK</li><li>Phase 2, Doha,"
        " Qatar</li><li>Lot 4, Lyon, France</li></ul>",
        "<h2>Holidays</h2><p>Contact</p><p>Villa 12, Ibiza, Spain</p><p>Apartment 45, Dubai,"
        " UAE</p><p>Zimmer 5,"
        " Wien, Österreich</p><p>tel +34 971 000 000</p>",
        "<h2>Calendario</h2><ul><li>25 de Mayo 2026, Buenos Aires, Argentina</li><li>18 de Julio"
        " 2026, Montevideo,"
        " Uruguay</li></ul><p>Contacto</p>",
        "<h2>Voices</h2><p>Great! - John Smith, 34, Austin, USA</p><p>Maria Lopez, 29, Quito, Ecuador</p>"
        "<p>Contact: +1 512 555 0100</p>",
        "<h2>FAQ</h2><p>Rice, Wheat, Maize, Barley</p><p>Postal code: 12345</p>",
    ],
)
@pytest.mark.parametrize("country", [None, "US", "DE", "AR"])
def test_lists_of_goods_fairs_and_journeys_hold_no_address(body, country):
    assert texts(body, country) == []
