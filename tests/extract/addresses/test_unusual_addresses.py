"""Addresses without a number, without a postcode, beside a box, or told by what is near."""

from __future__ import annotations

import pytest

from scrapersky.extract.page import read_page
from scrapersky.extract.results import Hints

# Country, how the address is written, its street, its city.
WRITTEN = [
    ("CH", "Bahnhofstrasse 3, Postfach 88, CH-6210 Sursee", "Bahnhofstrasse 3", "Sursee"),
    ("FR", "3 rue des Tilleuls<br>BP 40012<br>35137 Bédée cedex", "3 rue des Tilleuls", "Bédée"),
    ("FR", "Lieu-dit Kervignac, 29270 Carhaix-Plouguer", "Lieu-dit Kervignac", "Carhaix-Plouguer"),
    ("ES", "Plaza de España s/n, 41013 Sevilla", "Plaza de España s/n", "Sevilla"),
    ("GB", "1 Duke Street, SW1Y 4PD London", "1 Duke Street", "London"),
    ("BG", "София, бул. Витоша 89Б", "бул. Витоша 89Б", "София"),
    ("KZ", "г. Алматы, ул. Абая 52", "ул. Абая 52", "Алматы"),
    ("JO", "Abdullah Ghosheh St. 28, Amman, Jordan", "Abdullah Ghosheh St. 28", "Amman"),
    ("KH", "No. 88, Street 271, Toul Tumpung, Phnom Penh", "No. 88, Street 271", "Phnom Penh"),
    ("NZ", "4/22 Kerwyn Avenue<br>East Tamaki<br>Auckland", "4/22 Kerwyn Avenue", "Auckland"),
    ("UY", "18 de Julio 1333, esc. 402, Montevideo", "18 de Julio 1333", "Montevideo"),
    ("CL", "O’Higgins 77, Concepción", "O’Higgins 77", "Concepción"),
    ("NI", "De los semáforos 2c al sur, Managua", "De los semáforos 2c al sur", "Managua"),
    ("ET", "Bole Road, Friendship Building, 5th Floor, Addis Ababa", "Bole Road", "Addis Ababa"),
    ("CH", "Rue de Lausanne 45, case postale 1234, 1701 Fribourg", "Rue de Lausanne 45", "Fribourg"),
    ("FI", "Kauppakatu 3<br>PL 12<br>53100 Lappeenranta", "Kauppakatu 3", "Lappeenranta"),
    ("IT", "Corso Vittorio Emanuele II, 88 bis – 10121 Torino", "Corso Vittorio Emanuele II", "Torino"),
    ("BR", "R. Sete de Setembro, 1001 - Blumenau - SC, 89010-203", "R. Sete de Setembro, 1001", "Blumenau"),
    ("SK", "Hlavná 5, Prešov 080 01", "Hlavná 5", "Prešov"),
    ("RO", "Calea Victoriei nr. 12, sector 1, București, 010063", "Calea Victoriei nr. 12", "București"),
    ("UG", "Kira Road, Kamwokya, Kampala", "Kira Road", "Kampala"),
    ("JM", "27 Old Hope Road, Kingston 5, Jamaica", "27 Old Hope Road", "Kingston"),
    ("VN", "123 Nguyễn Trãi, P. Bến Thành, TP. Hồ Chí Minh", "123 Nguyễn Trãi", "Hồ Chí Minh"),
    ("IE", "Unit 9, Ballymount Trade Park, Dublin 12, D12 YX90", "Ballymount Trade Park", "Dublin 12"),
    ("AR", "Bartolomé Mitre 2045, Piso 5, C1039AAK Buenos Aires", "Bartolomé Mitre 2045", "Buenos Aires"),
    ("KE", "Mbagathi Way, Nairobi, Kenya", "Mbagathi Way", "Nairobi"),
    ("RO", "Str. Horea nr. 7, bl. A2, ap. 3, Brașov, jud. Brașov", "Str. Horea nr. 7", "Brașov"),
    ("TW", "地址：106台北市大安區復興南路235號5樓", "復興南路235號", "台北市大安區"),
    ("GB", "Mill Lane<br>Great Snoring<br>Fakenham, NR21 0HP", "Mill Lane", "Fakenham"),
    ("BH", "Building 123, Road 1701, Block 317, Manama, Bahrain", "Road 1701", "Manama"),
]


@pytest.mark.parametrize(("country", "written", "street", "city"), WRITTEN)
def test_the_address_is_read_as_people_write_it(country: str, written: str, street: str, city: str) -> None:
    page = f"<html><body><h2>Contact</h2><p>Firm</p><p>{written}</p></body></html>"
    found = read_page(page.encode(), Hints(country)).addresses
    assert [(street in address.street, address.city) for address in found] == [(True, city)]
