"""Words that speak for a country: its names, large cities and regions, register numbers and money."""

from __future__ import annotations

# Names, large cities and regions, in lower case, one word each; the country's names stand before the bar.
_PLACES = {
    "DE": "deutschland germany | berlin hamburg münchen munich köln frankfurt stuttgart düsseldorf"
    " leipzig dortmund"
    " essen bremen dresden hannover nürnberg bayern sachsen hessen thüringen brandenburg baden"
    " württemberg niedersachsen"
    " nordrhein westfalen würzburg bonn mannheim karlsruhe augsburg wiesbaden",
    "AT": "österreich austria autriche | wien vienna graz linz salzburg innsbruck klagenfurt tirol"
    " steiermark kärnten"
    " niederösterreich oberösterreich vorarlberg burgenland",
    "CH": "schweiz suisse svizzera switzerland | zürich zurich genève basel bern lausanne luzern"
    " winterthur lugano"
    " ticino aargau thurgau vaud valais graubünden bellinzona",
    "LI": "liechtenstein | vaduz schaan",
    "LU": "luxembourg luxemburg | esch",
    "FR": "france frankreich francia | paris marseille lyon toulouse nice nantes montpellier strasbourg"
    " bordeaux lille"
    " rennes reims grenoble dijon bretagne normandie provence aquitaine gironde toulon",
    "BE": "belgique belgië belgium | bruxelles brussel antwerpen gent liège charleroi brugge leuven"
    " namur wallonie"
    " vlaanderen",
    "NL": "nederland netherlands | amsterdam rotterdam utrecht eindhoven groningen tilburg almere breda"
    " nijmegen"
    " haarlem arnhem zaandam amersfoort gouda",
    "IT": "italia italy | roma milano napoli torino palermo genova bologna firenze bari catania venezia"
    " verona padova"
    " lombardia piemonte toscana lazio sicilia sardegna puglia veneto rimini bergamo brescia",
    "ES": "españa spain espagne | madrid barcelona valencia sevilla zaragoza málaga murcia bilbao"
    " alicante granada"
    " andalucía cataluña galicia euskadi donostia gipuzkoa vizcaya",
    "PT": "portugal | lisboa porto braga coimbra faro setúbal algarve aveiro leiria",
    "GB": "england scotland wales britain | london manchester birmingham leeds glasgow liverpool"
    " edinburgh bristol"
    " sheffield cardiff belfast nottingham yorkshire somerset kent sussex surrey essex devon cornwall",
    "IE": "ireland éire | dublin cork galway limerick waterford",
    "PL": "polska poland | warszawa kraków łódź wrocław poznań gdańsk szczecin bydgoszcz lublin katowice"
    " mazowieckie"
    " śląskie małopolskie wielkopolskie",
    "CZ": "česko czechia czech čechy | praha brno ostrava plzeň liberec olomouc morava",
    "SK": "slovensko slovakia | bratislava košice prešov žilina nitra",
    "HU": "magyarország hungary | budapest debrecen szeged miskolc pécs győr",
    "RO": "românia romania | bucurești bucuresti cluj timișoara iași constanța brașov",
    "BG": "българия bulgaria | софия sofia пловдив варна бургас",
    "GR": "ελλάδα greece ελλάς | αθήνα athens θεσσαλονίκη πάτρα",
    "HR": "hrvatska croatia | zagreb split rijeka osijek zadar",
    "SI": "slovenija slovenia | ljubljana maribor celje",
    "RS": "srbija србија serbia | beograd београд novi niš",
    "UA": "україна ukraine | київ львів харків одеса дніпро",
    "RU": "россия russia | москва петербург новосибирск екатеринбург казань",
    "SE": "sverige sweden | stockholm göteborg malmö uppsala västerås örebro linköping",
    "NO": "norge norway | oslo bergen trondheim stavanger drammen",
    "DK": "danmark denmark | københavn aarhus århus odense aalborg",
    "FI": "suomi finland | helsinki espoo tampere vantaa turku oulu",
    "EE": "eesti estonia | tallinn tartu",
    "LV": "latvija latvia | rīga riga",
    "LT": "lietuva lithuania | vilnius kaunas klaipėda",
    "TR": "türkiye turkey | istanbul ankara izmir bursa antalya",
    "IL": "israel ישראל | jerusalem haifa",
    "US": "usa america | california texas florida massachusetts ohio illinois pennsylvania arizona"
    " colorado kansas"
    " minnesota oregon tennessee virginia wisconsin michigan chicago boston houston dallas angeles"
    " seattle denver"
    " portland miami atlanta philadelphia maryland missouri nevada utah iowa alabama kentucky oklahoma"
    " hampshire",
    "CA": "canada | toronto montréal montreal vancouver calgary ottawa edmonton québec quebec ontario"
    " alberta manitoba"
    " saskatchewan winnipeg",
    "MX": "méxico mexico | guadalajara monterrey puebla cancún tijuana",
    "BR": "brasil brazil | paulo janeiro brasília salvador fortaleza curitiba recife goiânia campinas"
    " minas paraná",
    "AR": "argentina | aires rosario mendoza plata",
    "CL": "chile | santiago valparaíso concepción",
    "CO": "colombia | bogotá medellín cali barranquilla cartagena",
    "PE": "perú peru | lima cusco arequipa iquitos pucallpa trujillo",
    "EC": "ecuador | quito guayaquil cuenca",
    "UY": "uruguay | montevideo",
    "VE": "venezuela | caracas maracaibo",
    "IN": "india bharat | mumbai delhi bangalore bengaluru hyderabad chennai kolkata pune ahmedabad"
    " jaipur lucknow"
    " maharashtra gujarat karnataka kerala tamil nadu goa coimbatore raipur gwalior indore noida gurgaon"
    " punjab haryana"
    " rajasthan chhattisgarh",
    "NP": "nepal नेपाल | kathmandu pokhara lalitpur biratnagar bhaktapur",
    "BD": "bangladesh | dhaka chittagong sylhet",
    "PK": "pakistan | karachi lahore islamabad rawalpindi",
    "LK": "lanka | colombo kandy",
    "CN": "china 中国 | beijing shanghai shenzhen guangzhou 北京 上海",
    "HK": "hongkong | kowloon",
    "TW": "taiwan 台灣 | taipei",
    "JP": "japan 日本 | tokyo osaka kyoto 東京都 大阪府 大阪市 名古屋 yokohama",
    "KR": "korea 대한민국 | seoul busan 서울",
    "VN": "vietnam việt | hanoi nội đà nẵng chí sài gòn",
    "TH": "thailand | bangkok phuket",
    "ID": "indonesia | jakarta surabaya bandung bali",
    "MY": "malaysia | lumpur penang johor selangor",
    "SG": "singapore |",
    "PH": "philippines pilipinas | manila cebu davao quezon",
    "AU": "australia | sydney melbourne brisbane perth adelaide queensland",
    "NZ": "zealand | auckland wellington christchurch",
    "ZA": "afrika | johannesburg cape durban pretoria gauteng kwazulu stellenbosch sandton",
    "NG": "nigeria | lagos abuja ibadan",
    "KE": "kenya | nairobi mombasa kisumu",
    "UG": "uganda | kampala entebbe jinja mbarara",
    "TZ": "tanzania | salaam arusha dodoma",
    "GH": "ghana | accra kumasi",
    "ET": "ethiopia | addis ababa hawassa",
    "SN": "sénégal senegal | dakar thiès joal",
    "CI": "ivoire | abidjan",
    "CM": "cameroun cameroon | yaoundé douala",
    "MA": "maroc morocco | casablanca rabat marrakech tanger",
    "TN": "tunisie tunisia | tunis sfax",
    "DZ": "algérie algeria | alger oran",
    "EG": "egypt مصر | cairo alexandria giza",
    "AE": "emirates الإمارات | dubai abu dhabi sharjah",
    "SA": "saudi السعودية | riyadh jeddah",
}


def _place_words() -> dict[str, tuple[str, float]]:
    words: dict[str, tuple[str, float]] = {}
    for country, places in _PLACES.items():
        names, _, cities = places.partition("|")
        for word in names.split():
            words[word] = (country, 2.5)
        for word in cities.split():
            words.setdefault(word, (country, 1.2))
    return words


PLACE_WORDS = _place_words()

# A language written on the page speaks for the country where most of its pages are made.
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
