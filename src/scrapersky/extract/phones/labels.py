"""Words next to numbers: labels of phones, faxes and mobiles, and of other numbers."""

from __future__ import annotations

import re
from functools import lru_cache

from scrapersky.extract.text.cleanup import lower_letters
from scrapersky.extract.text.regex_prefilter import prefilter

_FAX = (
    r"(?:tele|téléco?pie?|telefo?)?fax(?:nummer|nr|no|number)?|"
    r"t[ée]l[ée]copie(?:ur)?|telefaks|faks[iı]?|"
    r"faxe?|факс|φαξ|"
    r"ファックス|ファクス|传真|傳真|팩스|แฟกซ์|فاكس|פקס|फैक्स"
)
_MOBILE = (
    r"mobile?s?|mobiel|mobil(?:e|telefon|nummer|nr|funk)?|handy(?:nummer)?|"
    r"natel|gsm|cell(?:ulare?|phone|"
    r"ulaire)?s?|"
    r"cel|celular(?:es)?|m[óo]vil(?:es)?|telem[óo]vel|portable|port|matka?puhelin|kom[óo]rk\w*|kom\.?|"
    r"tel\.? ?kom|mob|"
    r"mobiltelefon|cep(?: tel\w*)?|моб\w*|κιν\w*|携帯(?:電話)?|手机|手機|휴대폰|di động|"
    r"whats ?app|viber|signal|"
    r"telegram|"
    r"nokia|m"
)
_PHONE = (
    r"tele?[fp]h?[oóò]n[aeioy]?\w{0,4}|t[ée]l[ée]phone|tel[ée]f(?:ono|on|"
    r"one)?s?|telf|telef|tele|t[ée]ls?|"
    r"tlf|tfno|tfn|fono|fon|fone|"
    r"phones?|ph|call(?: us)?(?: now| today)?|ring|anrufen?|rufen|"
    r"ruf(?:nummer)?|festnetz|hotline|notruf|"
    r"zentrale|durchwahl|"
    r"appele[zr]|appel|chiama(?:re|ci)?|chiamate|ll[aá]m(?:ar?|anos|enos|e)|"
    r"ligue|liga(?:r|-nos)?|contato|"
    r"bel(?:len)?|"
    r"telefoon|puh(?:elin)?|puhelinnumero|telefo[nń]|zadzwoń|dzwoń|volejte|"
    r"hívjon|sími|telefonszám|τηλ\w*|"
    r"тел(?:ефон\w*)?|電話(?:番号)?|"
    r"电话|電話|전화|điện thoại|đt|sđt|hotline|โทร\w*|هاتف|טלפון|फ़ोन|फोन|telepon|"
    r"telp|hp|landline|office|fixe?|"
    r"fisso|fijo|"
    r"vast|contact(?: (?:no|number|us))?|kontakt|helpline|toll[- ]free|"
    r"numero verde|emergency|support|"
    r"enquir\w+|reservations?|"
    r"bookings?|reception|sms|text(?: us)?|t|p|f"
)
_LABEL = re.compile(
    rf"(?<![^\W_])(?:(?P<fax>{_FAX}|f(?=\s*[:.]))|(?P<mobile>(?:{_MOBILE})(?![^\W\d_]))|"
    rf"(?P<phone>(?:{_PHONE})(?![^\W\d_])))"
)
_SYMBOLS = {
    "☎": "phone",
    "✆": "phone",
    "📞": "phone",
    "☏": "phone",
    "📱": "mobile",
    "📠": "fax",
    "℡": "phone",
}
_SINGLE = re.compile(r"\s*[.:)|/-]|\s*\Z|\s*\+")

OTHER_THAN_PHONE = re.compile(
    r"(?<![^\W_])(?:(?!telefon|ruf|fax|handy|mobil|notruf|service|tele|phone|festnetz|notfall|"
    r"kontakt|durchwahl|hotline|haupt|zentral|büro|bereitschaft|sprech|whatsapp|puhelin)\w{3,20}(?:nummer|nr|numer|szám)|"
    r"iban|bic|swift|isbn|issn|ean|gtin|upc|asin|doi|vat|ust|ust\.?-?id\w*|umsatzsteuer\w*|"
    r"steuer\w*|st\.?-?nr|tax|tin|"
    r"ein|p\.? ?iva|partita|piva|c\.?f|cod\.? ?fisc\w*|codice|cif|nif|nie|dni|"
    r"siret|siren|rcs|ape|naf|tva|"
    r"kvk|btw|k\.v\.k|rsin|"
    r"i[čc]o?|di[čc]|nip|regon|krs|pesel|ad[óo]sz[áa]m|c[ée]gjegyz[ée]ks\w*|cnpj|cpf|cnae|abn|acn|"
    r"gst(?:in)?|cin|pan|ruc|"
    r"cuit|rut|nit|cvr|org\.? ?(?:nr|nummer)|organisationsnummer|hr[ab]|handelsregister\w*|fn|"
    r"firmenbuch\w*|uid|che|amtsgericht|register\w*|"
    r"registration|registered|reg|rea|r\.e\.a|konto\w*|blz|account|acct|a/c|"
    r"bank\w*|bankgiro|plusgiro|"
    r"postgiro|iban\w*|bg|pg|clearing|"
    r"sort ?code|routing|ifsc|order|bestell(?!\w*(?:hotline|tele?f|fax|fon))\w*|"
    r"art(?:ikel)?\.?-?(?:nr|nummer)?|item|sku|ref\w*|model|"
    r"serial|ident\w*|"
    r"id|licen[sc]e\w*|lic|lizenz\w*|licencia|eori|duns|d-u-n-s|lei|pin|plz|zip|"
    r"postcode|cep|cap|c\.?p|"
    r"oib|mbs|jmbg|inn|ogrn|kpp|"
    r"инн|огрн|кпп|єдрпоу|аф[мм]|doy|mersis|vkn|lat|lng|long|lon|latitude|longitude|gps|coord\w*|"
    r"copyright|©|since|"
    r"case|docket|invoice|rechnung\w*|kunden(?:nr|nummer)|mitglied\w*|"
    r"aktenzeichen|az|policy|polic[ey]\w*|"
    r"npi|bsn|ahv|"
    r"dataset|version|v|build|isin|wkn|cnss|ice|patente|rc|n° ?(?:rcs|siret|tva)|code|fund|section|№)"
    r"(?:[\s-]*(?:n[or°º]?|nr|nummer|number|num|numero|número|code|id|gb|de|at|it|fr|es|cz|pl|nl|"
    r"be))?[\s.:#°º()=-]*(?:[a-z]{2})?\Z",
    re.I,
)
_MONEY_BEFORE = re.compile(
    r"(?:[€$£¥₹₫₦₽₺]|\b(?:eur|usd|chf|gbp|pln|czk|huf|sek|nok|dkk|rs|inr|brl|r\$|kr|vnd|zł|fr))\.? ?\Z", re.I
)
_MONEY_AFTER = re.compile(
    r" ?(?:[€$£¥₹₫₽₺%°]|(?:eur|euro|usd|chf|gbp|pln|czk|huf|sek|nok|dkk|inr|brl|"
    r"zł|kč|ft|kr|fr|vnd|vnđ|đ|m²|m2|km|kg|mm|cm|"
    r"ha|uhr|h|px|ml|kb|mb|gb|stück|views?|visits?|fans?|followers?|likes?|mio)\b)",
    re.I,
)
# The register, bank or catalogue that a number belongs to, with other words between them.
_FAR_OTHER = re.compile(
    r"(?<![^\W_])(?:iban|isbn|issn|steuer-?(?:nummer|nr)|st\.?-?nr|ust-?id\w*|vat|p\.? ?iva|partita iva|"
    r"siret|siren|rcs|hr[ab]|handelsregister\w*|registergericht|amtsgericht|finanzamt|konto\w*|kto|blz|kvk|btw|nip|regon|krs|"
    r"i[čc]o|di[čc]|adószám|cégjegyz\w*|cnpj|cpf|cif|nif|cuit|rut|nit|ruc|abn|acn|gst(?:in)?|artikel\w*|art\.?-?nr|"
    r"bestell(?!\w*(?:hotline|tele?f|fax|fon))\w*|order|sku|ean|rechnung\w*|invoice|aktenzeichen|az|fattura|factura|commande|zamówieni\w*|"
    r"registre|registro|registro imprese|reg\. imprese|rea|orgnr|organisationsnummer|cvr|y-tunnus)"
    r"(?![^\W\d_])(?P<between>[^\d\n\t|•·]{0,40})\Z",
    re.I,
)
_may_name_other, _may_belong_to_other = prefilter(OTHER_THAN_PHONE), prefilter(_FAR_OTHER)
# These stand before much else than numbers.
_VAGUE_TEXT = """
contact kontakt contato office support emergency reception port bel ring text sms fixe fix vast t p f m kom
cel booking bookings reservation reservations appel call tele fon central zentrale fisso fijo signal nokia
"""
_VAGUE = frozenset(_VAGUE_TEXT.split())


@lru_cache(maxsize=4_096)
def find_label(text: str) -> str | None:
    """The kind that the last label in a text names: phone, mobile or fax."""
    kind: str | None = None
    low = lower_letters(text)
    for match in _LABEL.finditer(low):
        word = match.group()
        if len(word) == 1 and not _SINGLE.match(low, match.end()):
            continue
        kind = match.lastgroup
    if kind is None:
        kind = next((_SYMBOLS[sign] for sign in reversed(text) if sign in _SYMBOLS), None)
    return kind


def find_labels(text: str) -> list[str]:
    """Every kind named in a text, in order."""
    return [match.lastgroup or "" for match in _LABEL.finditer(lower_letters(text)) if len(match.group()) > 1]


def names_other(before: str) -> bool:
    """Whether the words right before a number say that it is something else."""
    return _may_name_other(before) and OTHER_THAN_PHONE.search(before) is not None


def belongs_to_other(before: str) -> bool:
    """Whether a word further before a number says so, and none between them that a phone follows."""
    match = _FAR_OTHER.search(before) if _may_belong_to_other(before) else None
    return match is not None and find_label(match["between"]) is None


def is_vague_label(text: str) -> bool:
    """Whether the last label in a text is a word with other meanings as well."""
    words = [match.group() for match in _LABEL.finditer(lower_letters(text))]
    return bool(words) and words[-1] in _VAGUE


def is_amount(before: str, after: str) -> bool:
    """Whether a unit or currency makes the number an amount."""
    return bool(_MONEY_BEFORE.search(before) or _MONEY_AFTER.match(after))
