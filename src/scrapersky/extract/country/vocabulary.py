"""Signs of a country besides its places: languages, register numbers and money."""

from __future__ import annotations

LANGUAGE_COUNTRY = {
    "de": ("DE", 2.0), "fr": ("FR", 1.5), "it": ("IT", 2.5), "es": ("ES", 1.0), "pt": ("PT", 1.0),
    "nl": ("NL", 2.0), "pl": ("PL", 3.0), "cs": ("CZ", 3.0), "sk": ("SK", 3.0), "hu": ("HU", 3.0),
    "ro": ("RO", 3.0), "bg": ("BG", 3.0), "el": ("GR", 3.0), "hr": ("HR", 2.5), "sl": ("SI", 3.0),
    "sr": ("RS", 2.5), "uk": ("UA", 3.0), "ru": ("RU", 2.0), "sv": ("SE", 2.5), "no": ("NO", 3.0),
    "nb": ("NO", 3.0), "nn": ("NO", 3.0), "da": ("DK", 3.0), "fi": ("FI", 3.0), "et": ("EE", 3.0),
    "lv": ("LV", 3.0), "lt": ("LT", 3.0), "tr": ("TR", 3.0), "he": ("IL", 3.0), "iw": ("IL", 3.0),
    "ja": ("JP", 3.0), "ko": ("KR", 3.0), "zh": ("CN", 1.5), "vi": ("VN", 3.0), "th": ("TH", 3.0),
    "id": ("ID", 2.5), "ms": ("MY", 2.0), "hi": ("IN", 2.5), "bn": ("BD", 2.0), "ne": ("NP", 3.0),
    "eu": ("ES", 2.5), "ca": ("ES", 2.5), "gl": ("ES", 2.5), "am": ("ET", 2.5), "sw": ("KE", 1.5),
    "af": ("ZA", 2.5),
}  # fmt: skip

# Where the languages of few countries are spoken and written on websites.
SPEAKERS = {
    language: frozenset(countries.split())
    for language, countries in {
        "de": "DE AT CH LI LU BE IT", "it": "IT CH SM VA", "nl": "NL BE SR CW AW", "pl": "PL", "cs": "CZ SK",
        "sk": "SK CZ", "hu": "HU SK RO RS", "ro": "RO MD", "bg": "BG", "el": "GR CY", "hr": "HR BA RS",
        "sl": "SI IT AT", "sr": "RS BA ME", "uk": "UA", "sv": "SE FI", "no": "NO", "nb": "NO", "nn": "NO",
        "da": "DK GL FO", "fi": "FI", "et": "EE", "lv": "LV", "lt": "LT", "tr": "TR CY", "he": "IL",
        "iw": "IL", "ja": "JP", "ko": "KR", "vi": "VN", "th": "TH", "ca": "ES AD", "eu": "ES FR", "gl": "ES",
    }.items()
}  # fmt: skip

# Register numbers, money and postcode marks, each with the country it speaks for; the patterns are RE2's.
SIGNS = (
    (r"\bP\. ?IVA\b|\bPartita IVA\b|\bR\.E\.A\.?\b|\bCod(?:ice)?\.? ?Fisc", "IT", 3.0),
    (r"\bSIRET\b|\bSIREN\b|\bR\.?C\.?S\.? [A-Z]", "FR", 3.0),
    (r"\bHR[AB] ?\d|\bAmtsgericht\b|§ ?5 (?:TMG|DDG)|\bUSt-?Id", "DE", 3.0),
    (r"\bATU\d{8}\b|\bFirmenbuch|\bUID-Nr", "AT", 3.5),
    (r"\bCHE-?\d{3}|\bCHF\b|\bCH-\d{4}\b", "CH", 3.0),
    (r"\bKvK\b|\bBTW\b", "NL", 2.5),
    (r"\bDIČ:? ?CZ|\bKč(?:\W|$)", "CZ", 3.0),
    (r"\bIČO?[ :.]", "CZ", 1.5),
    (r"\bNIP\b|\bREGON\b|\bKRS\b|\d ?zł(?:\W|$)|\bul\. [A-ZŁŚŻ]", "PL", 3.0),
    (r"\badószám|\d ?Ft\b", "HU", 3.0),
    (r"\bCNPJ\b|\bCPF\b|R\$ ?\d|\bCEP\b", "BR", 3.0),
    (r"\bCIF:? ?[A-Z]|\bN\.?I\.?F\.?\b", "ES", 1.5),
    (r"\bGSTIN?\b|₹|\bRs\.? ?\d|\bPvt\.? ?Ltd|\b[Pp]in ?[Cc]ode\b|\bINR\b|\blakhs?\b|\bcrores?\b", "IN", 2.5),
    (r"\bABN\b|\b(?:NSW|QLD) \d{4}\b", "AU", 3.0),
    (r"\bCUIT\b", "AR", 3.0),
    (r"\bRUC\b|S/\.? ?\d", "PE", 2.0),
    (r"\bCVR\b", "DK", 3.0),
    (r"\bOrg\.? ?nr|\bBankgiro\b|\bSwish\b", "SE", 1.5),
    (r"\bY-tunnus\b", "FI", 3.0),
    (r"〒|株式会社|有限会社|\d円", "JP", 3.0),
    (r"₫|\bVN[DĐ](?:\W|$)", "VN", 3.0),
    (r"\bUGX\b|\bUgx\b", "UG", 3.0),
    (r"\bKES\b|\bKsh\b", "KE", 3.0),
    (r"\bFCFA\b|\bCFA\b", "SN", 1.0),
    (r"\bNGN\b|₦", "NG", 3.0),
    (r"\(Pty\)|\bZAR\b", "ZA", 3.0),
    # Numbers are written so in North America alone.
    (r"(?:^|[^\d+])\([2-9]\d{2}\) ?[2-9]\d{2}-\d{4}\b", "US", 1.5),
    (r"£ ?\d|\bVAT (?:No|Reg|Number)", "GB", 1.5),
    (r"\b[A-Z]{1,2}\d[A-Z\d]? \d[ABD-HJLNP-UW-Z]{2}\b", "GB", 3.0),
    (r"\b[ABCEGHJ-NPRSTVXY]\d[A-Z] ?\d[A-Z]\d\b", "CA", 3.0),
    (r"\b[1-9]\d{3} ?[A-Z]{2} [A-Z]", "NL", 2.0),
    (r"\b\d{2}-\d{3} [A-ZŁŚŻĆŹ]", "PL", 2.5),
    (r"\b\d{5}-\d{3}\b", "BR", 2.5),
    (r"\b\d{4}-\d{3} [A-Z]", "PT", 2.5),
    (r"\b\d{3} \d{2} [A-ZŠČŘŽ]", "CZ", 0.8),
    (r"\b(?:A[LKZR]|C[AOT]|D[EC]|FL|GA|HI|I[DLNA]|K[SY]|LA|M[EDAINSOT]|N[EVHJMYCD]|O[HKR]|PA|RI|S[CD]|"
     r"T[NX]|UT|V[TA]|W[AVIY]),? \d{5}\b", "US", 3.0),
    (r"\bD-\d{5}\b", "DE", 2.5),
    (r"\bA-\d{4}\b", "AT", 2.5),
    (r"\bF-\d{5}\b", "FR", 2.5),
    (r"\bI-\d{5}\b", "IT", 2.5),
    (r"\b(?:[Ss]tra(?:ß|ss)e|[Ss]tr\.) \d", "DE", 1.0),
    (r"\b(?:Via|Viale|Piazza|Corso) [A-Z]", "IT", 1.0),
    (r"\b\d{1,4}(?: bis)?,? (?:rue|avenue|boulevard|place|chemin|impasse) ", "FR", 1.0),
    (r"\bCalle |\bC/ ?[A-Z]", "ES", 0.8),
)  # fmt: skip
