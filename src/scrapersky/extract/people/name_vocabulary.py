"""Words around names: titles, particles, and words that no person's name is made of."""

from typing import Final

_TITLES_TEXT = """
dr prof professor dipl dipl-ing dipl.-ing dipl-päd dipl.-päd dipl-kfm dipl.-kfm dipl-kffr dipl-psych
dipl.-psych dipl-inf dipl.-inf dipl-betriebsw dipl.-betriebsw dipl-soz.päd dipl-soz dipl-volksw dipl-biol
dipl-phys dipl-chem dipl-des dr-ing dr.-ing ing mag mmag magª bc bca mgr mga phdr judr mudr mvdr rndr
paeddr thdr doc lic licda ir drs mr mrs ms miss mx sir dame frau herr herrn sig sigra sig.ra sigg dott
dott.ssa dottssa dottor dr.ssa avv avvto geom arch rag p.i per.ind rev revd fr sr sra dra don doña dña d.ª
mme mlle m me maître mtre monsieur madame hon pan pani pán paní med dent vet rer nat phil jur habil hc h.c
iur oec pol theol shri smt kumari er ca adv eng engr ph d mba mdb mdl ra rain ra'in wp stb lt col capt gen
maj sgt hr fru dhr mevr mw univ.-prof univ ao o.univ mas msc pharm
revd canon lord lady baroness cllr atty barr pst alh alhaji alhaja hajia dato datuk
dr.med dr.med.dent dr.med.vet dr.jur dr.iur dr.phil dr.rer.nat dipl.ing ing.arch ph.dr
eng.º eng.ª engº engª arq arq.º arq.ª dª dr.ª drª prof.ª profª profa sr.ª enf.ª rag cav prof.ssa mtra mtro mtr
lcdo lcda abg lek uzm doç yrd uzm.dr op.dr prof.dr doç.dr др д-р проф доц инж к.м.н д.м.н δρ κ κα
ông bà ths bs ts pgs ths.bs bs.ckii bs.cki ts.bs pgs.ts gs.ts pak bapak ibu hj drg
"""
TITLES: Final = frozenset(_TITLES_TEXT.split())

# Forms of address: they mark a person, but say nothing about the person's role.
_POLITE_TEXT = """
mr mrs ms miss mx m mme mlle monsieur madame herr herrn frau sig sigra sig.ra sigg sr sra don doña dña pan dª
pani pán paní hr fru dhr mevr mw shri smt sr.ª ông bà pak bapak ibu κ κα
"""
POLITE: Final = frozenset(_POLITE_TEXT.split())

_CREDENTIALS_TEXT = """
md m.d dds d.d.s dmd phd ph.d dphil cpnp np pa pa-c rn r.n lpn bsn msn cpa cfa cfp esq jr sr ii iii iv ba
b.a bs b.s bsc b.sc msc m.sc ma m.a mba m.b.a llb llm ll.m jd j.d csc drsc dis mpa mph ms m.s med m.ed edd
ed.d lpc lcsw lmft ncc cadc psyd psy.d dvm do d.o od o.d facs faap frcs mrcs mbbs fca aca acca pe p.e aia
leed pmp rdh dc dpt cst dipl dipl-ing dipl.-ing dipl.-päd dipl-päd fh bed b.ed mas
s.t m.t s.e m.m s.h m.h s.kom m.kom s.pd m.pd s.si m.si s.sos s.kep s.psi m.kes m.e b.e m.tech b.tech
hons mbacp mncs mncps macc ukcp bacp mbps cpsychol dipcouns dipcoun pgdip pgcert pgce mcsp hcpc mrcvs bvsc
bvms bvetmed mrpharms csci ceng ieng miet mice mistructe mciob mrtpi fcca macp mcipd fcipd cipd lpcc lmhc
licsw msw bcba otr aud ccc-slp cnm fnp fnp-c aprn crna dnp sres cfre sphr
m.phil b.com m.com mrics frics mcim riba dacvs dacvim dabvp fmh frcpath frcp mrcp acis fcma icaew
"""
CREDENTIALS: Final = frozenset(_CREDENTIALS_TEXT.split())

# Titles and letters that say what somebody is.
_PROFESSIONS_TEXT = """
lic licda avv geom arch adv rev revd mudr judr mvdr stb wp md dds dmd rn lpc lcsw lmft cpa esq dvm psyd np
pa-c od dpt rdh lpn
"""
PROFESSIONS: Final = frozenset(_PROFESSIONS_TEXT.split())

_PARTICLES_TEXT = """
van von vom zu zum zur der den de da di do dos das del della dei dal la le du des el al bin ben ibn ter
ten te het 't y e i af av san d' v.d aus auf op onder ap mac bint binti abu ul ur dela delos
"""
PARTICLES: Final = frozenset(_PARTICLES_TEXT.split())

# No person's name holds one of these words; they make the headings and menus of websites.
_STOP_WORDS_TEXT = """
home about contact contacts us our your my we you team staff services service products product company
business news blog events event gallery portfolio projects project careers career jobs job privacy policy
terms conditions cookie cookies login register sign search menu read more learn view click here back next
previous page site website web online shop store cart checkout account order orders price prices pricing
faq help support download downloads video videos photo photos image images map directions location
locations opening hours open closed monday tuesday wednesday thursday friday saturday sunday january
february march july september october november december copyright rights reserved powered by and or the of
for with from to in at an is are not new free great welcome hello thank thanks please phone email fax tel
mobile address office call send message get quote book now today join follow share like subscribe
newsletter facebook twitter instagram linkedin youtube whatsapp google xing pinterest tiktok group
international national global digital design designs marketing media solutions systems technology
technologies software consulting engineering construction trading industries industrial holdings
enterprises partners associates foundation institute university college school academy hospital clinic
hotel restaurant cafe club insurance firm offices center centre museum theatre theater road avenue city
town county state central community health care medical dental mental social public private general
special quick easy first last full name date year years days night week member members board committee
council department division section annual report meeting conference training course courses class classes
client clients customer customers testimonial testimonials review reviews quality safety security data
management development research education culture history mission vision values story stories life world
earth water fire food wine music art arts sport sports football tennis golf dance yoga fitness beauty hair
skin body wellness spa travel tours holiday weddings wedding party family families children child kids
women men people person friends pet pets dog dogs cat real estate property properties rent sale sales buy
sell car cars auto bike motor engine parts repair repairs cleaning gardens landscape autumn christmas red
blue royal old loan loans capital finance financial commercial residential senior junior assistant
executive featured latest recent popular startseite über uns kontakt impressum datenschutz leistungen
aktuelles termine verein anfahrt öffnungszeiten unser unsere ihr ihre wir sie und oder die dem ein eine
mit für nach bei auf aus im praxis haus straße platz stadt gemeinde kirche schule geschäftsstelle postfach
deutschland österreich schweiz berufsbezeichnung zuständige kammer haftung inhalte links urheberrecht mehr
weiter zurück jetzt hier alle neue neuer neues angebot angebote partner freunde galerie bilder fotos
presse karriere bürgermeisteramt rathaus landkreis amtsgericht registergericht handelsregister
umsatzsteuer telefon telefax mobil webseite sitemap freie wähler volksbank sparkasse versicherung
versicherungen immobilien accueil nous notre nos vos votre qui sommes prestations actualités mentions
légales politique confidentialité horaires adresse téléphone courriel devis gratuit voir plus lire suite
tous toutes droits réservés et ou les une sur dans avec pour par société entreprise siège ville mairie
école église agence cabinet boutique produits contactez inicio nosotros servicios productos contacto
empresa noticias aviso legal política privacidad ver más leer todos todas los las una con para por en
equipo quiénes somos galería horario dirección teléfono correo calle plaza ciudad iglesia escuela colegio
início sobre serviços produtos contato notícias quem privacidade saiba mais direitos reservados endereço
telefone rua praça cidade igreja escola colégio nossa nosso equipe chi siamo servizi prodotti contatti
azienda dove notizie note legali leggi tutto tutti diritti riservati orari indirizzo telefono città chiesa
scuola nostri nostra galleria storia over ons diensten producten nieuws onze wij een lees meer bekijk
vacatures klanten openingstijden privacyverklaring strona główna nas oferta usługi produkty aktualności
polityka prywatności regulamin czytaj więcej wszystkie godziny otwarcia sklep galeria realizacje úvod nás
služby ceník reference kontakty novinky ochrana osobních údajů více všechna práva napište otevírací doba
főoldal rólunk szolgáltatások termékek kapcsolat hírek galéria árak minden jog fenntartva cím acasă despre
noi servicii produse noutăți politica confidențialitate hem om oss tjänster produkter nyheter styrelsen
medlem bli läs mer alla vi och för tjenester åpningstider hjem etusivu meistä palvelut tuotteet
yhteystiedot ajankohtaista lorem ipsum dolor sit amet visit discover explore meet what why how when where
who find out microsoft windows adobe wordpress joomla drupal typo3 elementor bootstrap unsplash wikipedia
creative commons shutterstock istock fotolia saint santa santo sankt united kingdom states america berlin
beach valley river island springs heights kita kindergarten gasthaus gasthof pension apartments
resort tower mall massage injury sąd rejestrowy rejonowy court tribunal buyer verified register vorname
nachname nom prénom hans-wurst doe mustermann musterfrau sample example test demo
"""
STOP_WORDS: Final = frozenset(_STOP_WORDS_TEXT.split())

# These are family names, too: a name with one of them needs a common given name or a title.
_FAINT_STOPS_TEXT = """
park house street church law head spring summer london lane day best good winter easter west north south
east garden bank silver golden york start top all white black green gold love bar paris grand time august
april june young small king
"""
FAINT_STOPS: Final = frozenset(_FAINT_STOPS_TEXT.split())

# Words of other lists that are common family names: behind a common given name they are one.
_SURNAMES_TEXT = """
baker price lane koch cook butcher page read hall law marshall parsons priest bishop abbot chaplain barber
carpenter mason driver porter steward warden mayor major knight long short church wood woods fields hill
brook brooks street rivers lake ford banks park parks waters english french german holland england london
paris winter summer day may march friday golden silver best good love hope joy sharp small little cash bond
case chance power strong stone rich self story house bell child person christmas berlin beach wine dance
elder deacon proctor usher judge dean prior monk pope king prince duke earl baron squire butler chamberlain
clark reeve sheriff constable archer sargent meister schreiner tischler jäger förster fischer bauer kantor
pastor alcalde maire chef lehrer richter vogt arzt imker berg feld hof graf kaiser könig herzog klein groß
lang kurz roth weiß schwarz braun sommer sonntag montag freitag march april june first last close court
square walk yard gate cross row plaza villa gardens garden field green grove heath moor well wells
temple castle tower forest marsh glen vale dale west north south east young old white black brown gray grey
gold diamond jewel bird wolf fox lamb hart drummer singer piper fuller tanner weaver miller potter cooper
fisher hunter gardener farmer shepherd bull buck moss reed rose rice salt sage pepper coffey shore sands
platt weg ring kirch haus stadt kirchner platz bach wald stern mond sand stein engel teufel
pilot guard valle monte costa rio torres serra
"""
SURNAMES: Final = frozenset(_SURNAMES_TEXT.split())

# How family names end in many languages; in a list of people such a word confirms a name.
_FAMILY_ENDINGS_TEXT = """
ović ovic ević evic ić ová ský ská cký cká escu eanu oğlu sson ssen yan dze shvili enko opoulos idis akis ski
ska cki cka wicz czyk ewski owski nen mäki lainen vich berg strøm ström quist qvist kvist lund gaard sen
ов ова ев ева ёв ин ина ский ская цкий цкая енко чук щук юк ський ська цький цька ич ова ева ски ска
όπουλος οπούλου ίδης ίδου άκης άκη άδης άδου άκος έας όγλου ιάδης ούλου ού
յան եան
"""
FAMILY_ENDINGS: Final = tuple(_FAMILY_ENDINGS_TEXT.split())

# Endings of words for things and deeds: a name without a common given name holds none of them.
_THING_ENDINGS_TEXT = """
ung ungen heit keit schaft recht technik dienst dienste leistung leistungen pflege arbeiten systeme anlagen
therapie medizin chirurgie heilkunde bau service services management marketing design verkehr schutz hilfe
tion tions sion sions ment ments ness ity ities ology ologies istry ance ence ances ences ship care ware
ics logy graphy therapy surgery planning consulting training cleaning building housing banking shopping
injury repair rental rentals estate insurance law wealth
té tés isme ismes ique iques ation ations erie eries
ción ciones dad dades miento mientos ismo ería erías
zione zioni ità mento menti
ção ções dade dades
heid schap verzekering onderhoud
anie enie ość cja cje stwo nictwo
ání ení ost ství ictví
ning het skap
ság ség
"""
THING_ENDINGS: Final = tuple(_THING_ENDINGS_TEXT.split())

# No person's name begins with one of these, whatever follows: places, houses and prayers.
_FIRST_STOPS_TEXT = """
villa casa monte mount lake fort port porto puerto punta playa costa rio ave castel château chateau
palazzo torre hostal hostel camping finca masseria agriturismo maison domaine mas cabinet étude studio
atelier za zi zac zae zone parc lotissement résidence immeuble
"""
FIRST_STOPS: Final = frozenset(_FIRST_STOPS_TEXT.split())

# Brands and people of the past who are called like somebody of the team.
_OTHERS_TEXT = """
alfa romeo|harley davidson|louis vuitton|mercedes benz|calvin klein|hugo boss|tommy hilfiger|
ralph lauren|michael kors|jack daniels|johnnie walker|mary kay|paul mitchell|john deere|estee lauder|
christian dior|giorgio armani|marc jacobs|jack wolfskin|max mara|tom ford|jean paul gaultier|
paul smith|rolls royce|aston martin|austin healey|ben sherman|carl zeiss|robert bosch|martin luther|
albert einstein|sigmund freud|maria montessori|rudolf steiner|sebastian kneipp|samuel hahnemann|
albert schweitzer|anne frank|mahatma gandhi|nelson mandela|mutter teresa|mother teresa|steve jobs|
bill gates|henry ford|walt disney|carl gustav jung|virginia woolf
"""
OTHERS: Final = frozenset(name.strip() for name in _OTHERS_TEXT.replace("\n", "").split("|"))
