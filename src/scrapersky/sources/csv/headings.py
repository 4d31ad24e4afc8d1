"""Headings of CSV files in several languages, and which of our fields each means."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice

from scrapersky.sources.csv.decoder import InvalidCSV
from scrapersky.sources.csv.rows import CSVRow

# Titles, dates of export and the like may stand above the headings.
MAX_LINES_ABOVE = 10
_NUMBERED = re.compile(r"column_([1-9][0-9]{0,2})")
_LIKE_AN_ADDRESS = re.compile(r"\S+[.@][^\W\d_]{2,}\S*")

# Each field with the headings people give it, folded: lower case, no accents, letters and digits only.
PLACE_HEADINGS: dict[str, str] = {
    "place_id": """
        place_id placeid id google_place_id listing_id source_id external_id cid ref key
        """,
    "name": """
        name title business business_name businessname company company_name companyname firm organisation
        organization organization_name store store_name shop display_name firma firmenname unternehmen
        betrieb entreprise societe nom nom_entreprise raison_sociale empresa nombre nombre_empresa negocio
        razon_social azienda nome nome_azienda ragione_sociale bedrijf bedrijfsnaam naam nazwa nazwa_firmy
        foretag foretagsnamn namn navn virksomhed yritys nimi nome_da_empresa nazev firma_nazev ceg cegnev
        denumire
        """,
    "category": """
        category categories kind type types business_type industry sector main_category branche gewerbe
        kategorie categorie activite secteur categoria rubro sector_actividad settore tipo branza
        kategoria bransch kategori obor ramo
        """,
    "address": """
        address full_address formatted_address location adresse anschrift vollstandige_adresse
        adresse_complete direccion direccion_completa indirizzo indirizzo_completo adres volledig_adres
        adres_pelny adress endereco endereco_completo cim adresa
        """,
    "street": """
        street street_address streetaddress address1 address_1 address_line_1 strasse strase str
        strasse_hausnummer rue voie calle via straat ulica gata gatuadress rua logradouro ulice utca
        strada
        """,
    "city": """
        city town locality place_city ort stadt ville commune ciudad localidad municipio citta comune
        plaats stad woonplaats miasto miejscowosc cidade by kaupunki mesto obec varos oras
        """,
    "state": """
        state region province county bundesland departement provincia comunidad regione provincie
        wojewodztwo lan estado uf kraj megye judet
        """,
    "postcode": """
        postcode postal_code postalcode zip zip_code zipcode plz postleitzahl code_postal cp codigo_postal
        cap codice_postale kod_pocztowy postnummer cep codigo_postal_cep psc iranyitoszam postinumero
        """,
    "country": """
        country country_code countrycode land staat pays pais paese kraj_kod panstwo maa zeme orszag tara
        """,
    "latitude": """
        latitude lat breitengrad breite latitud latitudine szerokosc y
        """,
    "longitude": """
        longitude lng lon long langengrad lange longitud longitudine dlugosc x
        """,
    "phone": """
        phone phone_number phonenumber telephone tel telefon telefonnummer rufnummer numero_de_telephone
        telephone_number telefono numero_de_telefono numero_di_telefono telefoon telefoonnummer
        numer_telefonu telefone mobile mobil phone_e164 international_phone_number puhelin telefonszam
        """,
    "website": """
        website web_site web url site homepage www domain website_url internet internetadresse webseite
        webadresse internetseite site_web siteweb sitio_web pagina_web web_page sito sito_web strona
        strona_www strona_internetowa webbplats hemsida hjemmeside nettsted verkkosivu webova_stranka
        weboldal pagina
        """,
    "email": """
        email e_mail mail email_address e_mail_address emailadresse e_mail_adresse mail_adresse mailadresse
        contact_email kontakt_email email_contact courriel adresse_email adresse_e_mail correo
        correo_electronico posta_elettronica indirizzo_email e_mailadres poczta poczta_elektroniczna epost
        e_post epostadress sahkoposti eposta e_posta adres_e_mail
        """,
    "person": """
        contact contact_person contact_name person full_name ansprechpartner ansprechpartnerin
        ansprechperson kontaktperson kontakt inhaber inhaberin geschaftsfuhrer geschaftsfuhrung owner
        owner_name manager interlocuteur gerant dirigeant responsable contacto persona_de_contacto
        referente titolare contactpersoon osoba_kontaktowa wlasciciel kontaktni_osoba yhteyshenkilo
        """,
    "first_name": """
        first_name firstname given_name vorname prenom imie voornaam fornamn fornavn etunimi
        """,
    "last_name": """
        last_name lastname surname family_name nachname familienname nom_de_famille apellido apellidos
        cognome nazwisko achternaam efternamn efternavn sukunimi prijmeni
        """,
    "job_title": """
        job_title jobtitle position role funktion poste fonction cargo ruolo stanowisko functie
        """,
    "rating": """
        rating stars score bewertung note avis_note valoracion puntuacion valutazione ocena betyg
        avaliacao
        """,
    "reviews": """
        reviews review_count reviews_count user_ratings_total ratings_total number_of_reviews bewertungen
        anzahl_bewertungen avis nombre_avis resenas numero_resenas recensioni opinie liczba_opinii
        recensies recensioner avaliacoes
        """,
}  # fmt: skip
# For lists of one thing: which heading is the thing.
DOMAIN_HEADINGS = {
    "value": f"domain domains host hosts hostname url urls website websites {PLACE_HEADINGS['website']}"
}
SITEMAP_HEADINGS = {"value": "sitemap_url sitemap sitemaps sitemap_urls url urls link links"}
PAGE_HEADINGS = {"value": "url urls page pages page_url link links address"}


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """How a file's columns were understood: our field by column, the headings, what was left out."""

    columns: dict[str, int] = field(default_factory=dict)
    headings: tuple[str, ...] = ()

    def described(self) -> dict[str, str]:
        """Our field and the heading it was read from."""
        return {
            name: self.headings[at] if self.headings else f"column {at + 1}"
            for name, at in self.columns.items()
        }

    def ignored(self) -> list[str]:
        used = set(self.columns.values())
        return [heading for at, heading in enumerate(self.headings) if at not in used]

    def get(self, cells: tuple[str, ...], name: str) -> str:
        at = self.columns.get(name, -1)
        return cells[at].strip() if 0 <= at < len(cells) else ""


def fold_heading(heading: str) -> str:
    """A heading without case, accents and signs."""
    plain = heading.strip().casefold().replace("ß", "ss").replace("ł", "l").replace("ø", "o")
    letters = "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
    return re.sub(r"[\W_]+", "_", letters).strip("_")


@dataclass(slots=True)
class HeadingRow:
    """The headings of a file, if it has any, the lines above them, and the rows below."""

    mapping: ColumnMapping | None
    headings: CSVRow
    above: list[int]
    rows: Iterator[CSVRow]


def find_headings(
    rows: Iterator[CSVRow], known: Mapping[str, str], heading: str = "", *, needs: tuple[str, ...] = ()
) -> HeadingRow:
    """Look for the row of headings among the first rows; without one every row is data.

    `heading` is one that the user named: the row that has it is then the row of headings. `needs` are
    fields of which the headings must have one.
    """
    first = list(islice(rows, MAX_LINES_ABOVE + 1))
    at = _place_of_headings(first, known, heading, needs or tuple(known))
    if at is None:
        return HeadingRow(None, first[0], [], chain(first, rows))
    row = first[at]
    above = [title.number for title in first[:at]]
    return HeadingRow(map_columns(row.cells, known), row, above, chain(first[at + 1 :], rows))


def _place_of_headings(
    first: list[CSVRow], known: Mapping[str, str], heading: str, needs: tuple[str, ...]
) -> int | None:
    if heading:
        return next(
            (at for at, row in enumerate(first) if fold_heading(heading) in map(fold_heading, row.cells)),
            None,
        )
    fields = [_known_fields(row, known) for row in first]
    for least in (min(2, len(known)), 1):
        places = [
            at
            for at, names in enumerate(fields)
            if len(names) >= least
            and not names.isdisjoint(needs)
            and all(_is_title(above, first[at]) for above in first[:at])
        ]
        if places:
            # A title may be one of the words itself; the row of headings below it has more cells.
            return next((at for at in places if _filled(first[at]) > 1), places[0])
    return None


def _filled(row: CSVRow) -> int:
    return sum(bool(cell.strip()) for cell in row.cells)


def _known_fields(row: CSVRow, known: Mapping[str, str]) -> set[str]:
    heads = {fold_heading(cell) for cell in row.cells}
    return {name for name, words in known.items() if not heads.isdisjoint(words.split())}


def _is_title(row: CSVRow, headings: CSVRow) -> bool:
    """Whether a row above the headings can be passed over: fewer cells than they have, and none a value."""
    filled = [cell.strip() for cell in row.cells if cell.strip()]
    limit = max(1, _filled(headings) - 1)
    return bool(row.problem) or (
        len(filled) <= limit and not any(_LIKE_AN_ADDRESS.fullmatch(cell) for cell in filled)
    )


def map_columns(cells: tuple[str, ...], known: Mapping[str, str]) -> ColumnMapping | None:
    """The mapping of a first row, or None when it is not a row of headings. The first good column wins."""
    places = {word: name for name, words in known.items() for word in words.split()}
    heads = [fold_heading(cell) for cell in cells]
    if not any(head in places for head in heads):
        return None
    _check(cells, heads)
    columns: dict[str, int] = {}
    order = {head: at for at, head in enumerate(heads)}
    for name, words in known.items():
        position = next((order[word] for word in words.split() if word in order), None)
        if position is not None:
            columns[name] = position
    return ColumnMapping(columns, cells)


# Beside a column for the company, a column that is only called "name" is for the person.
_ONLY_NAME = frozenset(["name", "nom", "nombre", "nome", "naam", "namn", "navn", "nimi", "nazev"])
_COMPANY = """
    company company_name companyname business business_name businessname firm firma firmenname unternehmen
    betrieb organisation organization entreprise societe raison_sociale empresa nombre_empresa azienda
    ragione_sociale bedrijf bedrijfsnaam nazwa_firmy foretag foretagsnamn virksomhed yritys
    """.split()  # noqa: SIM905  A list of quoted words is harder to read and to extend.


def split_company_and_person(mapping: ColumnMapping) -> ColumnMapping:
    """The mapping with company and person in separate fields."""
    heads = [fold_heading(heading) for heading in mapping.headings]
    company = next((heads.index(word) for word in _COMPANY if word in heads), None)
    person = next((at for at, head in enumerate(heads) if head in _ONLY_NAME), None)
    if company is None or person is None:
        return mapping
    return ColumnMapping({"person": person, **mapping.columns, "name": company}, mapping.headings)


def choose_columns(headings: tuple[str, ...], columns: Mapping[str, str]) -> ColumnMapping:
    """The mapping that a person made: the heading of each field, or "column 3" where no heading is so."""
    check_fields(columns)
    places = {name: _column(headings, heading) for name, heading in columns.items()}
    return ColumnMapping(places, headings)


def named_heading(columns: Mapping[str, str]) -> str:
    """One of the chosen headings that is not a number; by it the row of headings is found."""
    return next((text for text in columns.values() if not _NUMBERED.fullmatch(fold_heading(text))), "")


def check_fields(names: Iterable[str]) -> None:
    """Raises InvalidCSV for a name that is none of our fields."""
    if unknown := sorted(set(names) - set(PLACE_HEADINGS)):
        raise InvalidCSV(
            f"there is no field {unknown[0][:50]!r}; expected one of {', '.join(PLACE_HEADINGS)}"
        )


def _column(headings: tuple[str, ...], heading: str) -> int:
    heads = [fold_heading(head) for head in headings]
    if (folded := fold_heading(heading)) in heads:
        return heads.index(folded)
    if number := _NUMBERED.fullmatch(folded):
        return int(number[1]) - 1
    raise InvalidCSV(f"no column is called {heading[:100]!r}")


def _check(cells: tuple[str, ...], heads: list[str]) -> None:
    for at, head in enumerate(heads):
        if not head:
            raise InvalidCSV(f"column {at + 1} has no heading")
        if head in heads[:at]:
            raise InvalidCSV(f"two columns are called {cells[at][:100]!r}")
