"""The words that streets, buildings and their surroundings are written with."""

from typing import Final

# Endings that are glued to the name of the street: Hauptstraße, Kerkstraat, Storgatan.
_ENDINGS_TEXT = """
allee allén anger baan backen bakken berg brücke chaussee damm dijk dreef feld gade gasse gata gatan gate
gaten gatvė graben gracht gränd halde hof iela kade kai katu kuja laan lei maantee markt matte pfad plads
plass platz plein polku promenade puiestee quai rain raitti ranta ring siedlung singel steeg steig stieg
stien stigen str straat strasse straße tie tor torget tori torvet twiete tänav ufer vegen vei veien vej
vägen wall weg winkel zeile
"""
ENDINGS: Final = tuple(_ENDINGS_TEXT.split())

_STREET_WORDS_TEXT = """
aikštė al alameda aleea aleja aleje allee alley allé allée alėja am apartmanı apt autopista av avd avda ave
avenida avenue b-dul bagh barangay bazaar bazar bd bdul beco bld blv blvd borgo boul boulevard brgy
broadway bulevar bulevardul bulvarı bulvāris bvd c c.da c.so c/ cad cadde caddesi calata calea calle
callejón calzada camino carrer carrera carretera cd cesta ch chem chemin chowk cir circle circuito cité cl
close colony conjunto contrada corso cours court cra cres crescent cross ct ctra diagonal dr drive dűlő
enclave esplanade estate estrada expressway extension extn fasor faubourg fbg fraz frazione freeway g gali
galleria gang gardens gasse gatve gatvė gg gidc glorieta grove hameau highway hwy hẻm iela im imp impasse
intrarea jalan jirón jl jln jr khu komplek kra krt körút köz ladeira lane largo laukums layout lebuh
lebuhraya lieu-dit ln loc località loop lorong lotissement lungomare lungotevere lô mah mahallesi marg
market markt mews mh midc mnt montée moo nagar ngách ngõ nr nábrežie nábřeží nám námestie náměstí os
osiedle p.le p.za p.zza park parkway pasaje paseo passage passeig persiaran phase phố piazza piazzale
piața pike pkwy pl plac place platz plaza plaça plentas plot plz pol polígono pr praça prilaz prolongación
prospektas prospekts pso pst puram purok put pza pº pça qd quadra quai quay r rakpart rambla rd ring road
rod rodovia rond-point ronda route row rte rua rue ruelle ruko rynek résidence rúa salita sarani sec
sector sentier setor sipcot sk society soi sok sokak sokağı sor sos splaiul sq square st str str.da strada
strasse straße street szosa sétány sídlisko sídliště taman tce tere terrace thanon thôn tn trail
transversal traverse travessa travesía trg trieda trl turnpike tv tänav tér tř třída tổ u udyog ul ulica
ulice urb urbanización utca v.le via viale vico vicolo viela vihar vill villa village voie wadi walk way
weg wharf yard z.a z.i za zac zi zum zur út útja đường șos șoseaua λεωφ λεωφόρος οδος οδός πλ πλατεία χλμ
б-р бул булевард бульвар вул вулиця наб набережная пер переулок пл площа площадь пр пр-т пров провулок
проезд просп проспект тракт ул улица шоссе דרך רח רחוב שד שדרות شارع طريق ซอย ถนน หมู่ ấp
số caya küçəsi küç prospekti rruga rr bulevardi gøta gøtu malecón malecon perimetral peatonal sendero cdla
ciudadela mz manzana anillo eje periférico kr carrer partida avinguda praza vial camí kalea etorbidea sítio
chácara quinta bairro вуліца вуліцы праспект завулак көшесі даңғылы хиёбони кўчаси бульв мкр микрорайон
квартал улица сокак булевар خیابان کوچه بلوار میدان جادة مارگ मार्ग रोड सड़क गली चौक टोल সড়ক রোড লেন গলি
வீதி தெரு சாலை ถ ตรอก ქუჩა გამზირი փողոց պողոտա bypass salai mawatha jn junction crossing küçesi
"""
STREET_WORDS: Final = frozenset(_STREET_WORDS_TEXT.split())

_UNIT_WORDS_TEXT = """
ajtó andar ap apartament apartment apt arcade arcaden bat bldg block bloco building bât bâtiment center
centre chambers complex conj court daire edif edificio eg em emelet et etage fl floor fszt hall haus
hinterhaus house int interno kat kiosk level local lok lokal lote lvl mall no of ofc office oficina og
palazzo patro piso planta plaza poschodí puerta rm room sala sc scala shop stall ste stiege stock suite
top torre tower unit vorderhaus wing étage стр д кв оф офис корп корпус этаж под пом помещ подъезд ет вх эт
bodega galpón nivel sótano sobreloja andar cjto conjunto booth stand tầng toà tòa lầu 樓 쪽 बिल्डिंग
"""
UNIT_WORDS: Final = frozenset(_UNIT_WORDS_TEXT.split())

# These are too short or too common to make a street alone.
_FAINT_WORDS_TEXT = """
al am apt an av berg c c/ cd ch circle cir cl close cours court cross ct dr em estate et feld g gate gg
hof im imp int km la lei loop main market markt no nr os park passage phase pl place plan plaza pol pr put
r rain ranta ring route row sc sec sk society sor sq square st str tie tn tor tori trail tv u urb via
villa walk wall way yard za zi zum zur gardens extension layout пр пл rr sendero mz manzana anillo eje kr
carrer partida vial sítio chácara quinta bairro bypass salai jn junction crossing ciudadela ถ
"""
FAINT_WORDS: Final = frozenset(_FAINT_WORDS_TEXT.split())

# Days and months: streets are called after them as well.
_CALENDAR_WORDS_TEXT = """
monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag
samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves
viernes sábado domingo lunedì martedì mercoledì giovedì venerdì sabato domenica januar january february
februar märz march april june july august september october november december juni juli oktober dezember
janvier février mars avril juin juillet août septembre octobre novembre décembre enero febrero marzo
abril mayo junio julio agosto septiembre octubre noviembre diciembre gennaio febbraio aprile maggio
giugno luglio settembre ottobre dicembre stycznia lutego marca kwietnia maja czerwca lipca sierpnia
września października listopada grudnia ledna února března dubna května června července srpna října
listopadu prosince janeiro fevereiro março maio junho julho setembro outubro novembro dezembro januari
februari maart mei augustus
"""
CALENDAR_WORDS: Final = frozenset(_CALENDAR_WORDS_TEXT.split())

# A piece of text with one of these is about something else than a street.
_FOREIGN_WORDS_TEXT = """
tel telefon telefono teléfono telefone téléphone phone fax mobil mobile handy iban bic hrb hra uhr hours
copyright isbn siret rcs p.iva piva capital ust-id ustid vat ič ičo dič nip regon krs cif nif cnpj gst
gstin usd eur euro euros kg cm mm year years jahre jahren ans años anni lat amtsgericht artikel article
absatz kapitel chapter seite page version comments comment kommentare posts cookie cookies mitglieder
members people users views pm am/pm
"""
FOREIGN_WORDS: Final = frozenset(_FOREIGN_WORDS_TEXT.split()) | CALENDAR_WORDS

# Words in small letters that streets are called with.
_SMALL_WORDS_TEXT = """
der die das den dem des am an im in auf unter hinter vor zum zur bei ob von vom und de la le les du del
della delle dei degli di da do dos das van het ter ten los las el au aux et sur sous lez lès près and
the of on upon och för till nad pod na u y e i bis ter quater esquina esq entre near opp opposite behind
next floor piso étage
"""
SMALL_WORDS: Final = frozenset(_SMALL_WORDS_TEXT.split())

# Endings of the names of organisations.
_LEGAL_FORMS_TEXT = """
gmbh mbh ag kg ohg gbr ug e.v ev e.k ek e.u gesmbh sarl sas sasu eurl sa s.a sci ltd limited llc llp inc
corp plc pty srl s.r.l srls s.r.l.s spa s.p.a snc s.n.c sl s.l s.l.u slu bv b.v nv n.v vof v.o.f bvba aps
a/s oy oyj ab z.o.o sp.z.o.o s.r.o a.s spol kft zrt bt nyrt d.o.o d.d ооо оао зао тов еоод оод lda ltda
s/a eireli pvt company gesellschaft verein association foundation stiftung 株式会社 有限会社 合同会社
"""
LEGAL_FORMS: Final = frozenset(_LEGAL_FORMS_TEXT.split())

# Words with such an ending that no street is called by.
_NOT_STREETS_TEXT = """
touring catering engineering monitoring sponsoring offering spring tutoring motoring restoring manufacturing
motor traktor direktor monitor faktor sektor autor rektor doktor reaktor investor inspektor kurator konditor
moderator generator ventilator supermarkt baumarkt arbeitsmarkt wohnungsmarkt getränkemarkt fachmarkt
flohmarkt weihnachtsmarkt immobilienmarkt drogeriemarkt arbeitsplatz ausbildungsplatz studienplatz sitzplatz
stehplatz tabellenplatz käufer verkäufer läufer aufstieg abstieg anstieg einstieg ausstieg umstieg
schlagzeile umfeld garantie partie demokratie bürokratie aktie allerlei vielerlei kanzlei ranger stranger
danger brigade dekade delegate firewall daniela gabriela mariela webwinkel blickwinkel sortie erfolg beitrag
"""
NOT_STREETS: Final = frozenset(_NOT_STREETS_TEXT.split())

LABELS: Final = (
    "(?:street|postal|mailing|visiting|physical|business|office|contact|company|registered|main|billing|"
    "delivery|legal) ?(?:address|office)?|address(?:es)?|add|adr|addr|head ?quarters?|hq|head office|"
    "corporate office|locations?|visit us|find us|office|where|a|post(?:al)?adresse|postanschrift|anschrift|"
    "firmensitz|firmenadresse|adressen?|standort|sitz|hausanschrift|besuchsadresse|besucheradresse|"
    "rechnungsanschrift|geschäftsstelle|büro|praxis|adresse postale|siège social|siege social|siège|"
    "localisation|coordonnées|nos bureaux|bureaux?|lieu|dirección|direccion|domicilio(?: social| fiscal)?|"
    "sede(?: social| legale| operativa| amministrativa)?|ubicación|oficina(?: central)?|endereço|endereco|"
    "morada|localização|escritório|indirizzo|dove siamo|ufficio|showroom|adres(?: do korespondencji| "
    "siedziby)?|siedziba|lokalizacja|biuro|adresa|sídlo(?: firmy| společnosti| spoločnosti)?|provozovna|"
    "prevádzka|korespondenční adresa|fakturační adresa|cím|címünk|székhely|telephely|levelezési cím|üzlet|"
    "iroda|sediul?(?: social)?|adresă|punct de lucru|sjedište|sedište|naslov|sedež|adress|postadress|"
    "besöksadress|besøksadresse|besøgsadresse|postiosoite|käyntiosoite|osoite|bezoekadres|postadres|"
    "vestigingsadres|vestiging|kantoor|locatie|asukoht|aadress|adrese|juridiskā adrese|adresas|buveinė|"
    "διεύθυνση|έδρα|адрес|юридический адрес|адреса|офис|adresi|merkez|şube|ofis|alamat|kantor|địa chỉ|văn "
    "phòng|trụ sở(?: chính)?|所在地|住所|本社|本店|事務所|住址|地址|주소|ที่อยู่|العنوان|عنوان|כתובת|पता"
)
