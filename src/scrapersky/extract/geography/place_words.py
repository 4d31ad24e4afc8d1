"""Words for places, such as names, large cities and regions of a country, and how much each counts."""

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
    "EG": "egypt مصر | cairo alexandria giza القاهرة الإسكندرية",
    "AE": "emirates الإمارات | dubai abu dhabi sharjah",
    "SA": "saudi السعودية | riyadh jeddah dammam الرياض جدة",
    "JO": "jordan الأردن | amman irbid",
    "LB": "lebanon liban لبنان | beirut beyrouth tripoli",
    "QA": "qatar قطر | doha",
    "KW": "kuwait الكويت | hawally salmiya",
    "BH": "bahrain البحرين | manama muharraq",
    "OM": "oman عمان | muscat salalah",
    "IQ": "iraq العراق | baghdad erbil basra",
    "IR": "iran ایران | tehran isfahan shiraz mashhad تهران",
    "KH": "cambodia | phnom siem",
    "MM": "myanmar burma | yangon mandalay",
    "LA": "laos | vientiane",
    "MN": "mongolia | ulaanbaatar",
    "KZ": "kazakhstan казахстан қазақстан | almaty astana алматы астана",
    "UZ": "uzbekistan oʻzbekiston | tashkent toshkent samarkand ташкент",
    "KG": "kyrgyzstan | bishkek бишкек",
    "GE": "საქართველო | tbilisi batumi თბილისი ბათუმი",
    "AM": "armenia հայաստան | yerevan երևան",
    "AZ": "azerbaijan azərbaycan | baku bakı",
    "MD": "moldova | chișinău chisinau",
    "BY": "belarus беларусь | minsk минск",
    "AL": "albania shqipëria | tirana tiranë durrës",
    "MK": "македонија | skopje скопје",
    "BA": "bosna bosnia | sarajevo mostar tuzla",
    "ME": "montenegro | podgorica budva",
    "CY": "cyprus κύπρος | nicosia limassol larnaca λευκωσία λεμεσός",
    "MT": "malta | valletta sliema birkirkara",
    "IS": "iceland ísland | reykjavík reykjavik akureyri kópavogur",
    "PY": "paraguay | asunción",
    "BO": "bolivia | cochabamba",
    "CR": "rica | escazú heredia alajuela",
    "PA": "panamá panama |",
    "GT": "guatemala | quetzaltenango",
    "HN": "honduras | tegucigalpa",
    "SV": "salvador |",
    "NI": "nicaragua | managua",
    "DO": "dominicana |",
    "CU": "cuba | habana",
    "JM": "jamaica | kingston",
    "TT": "trinidad tobago |",
    "RW": "rwanda | kigali",
    "ZM": "zambia | lusaka kitwe",
    "ZW": "zimbabwe | harare bulawayo",
    "MZ": "moçambique mozambique | maputo",
    "AO": "angola | luanda",
    "BW": "botswana | gaborone",
    "NA": "namibia | windhoek swakopmund",
    "MU": "mauritius |",
    "MG": "madagascar | antananarivo",
    "BF": "burkina | ouagadougou",
    "BJ": "bénin benin | cotonou",
    "TG": "togo | lomé",
    "ML": "mali | bamako",
    "GN": "guinée | conakry",
    "GA": "gabon | libreville",
    "CD": "congo | kinshasa lubumbashi",
    "SD": "sudan السودان | khartoum",
    "LY": "libya ليبيا | benghazi",
    "YE": "yemen اليمن | sanaa",
    "SY": "syria سوريا | damascus aleppo دمشق",
    "AF": "afghanistan | kabul",
    "FJ": "fiji | suva nadi",
    "MW": "malawi | lilongwe blantyre",
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
