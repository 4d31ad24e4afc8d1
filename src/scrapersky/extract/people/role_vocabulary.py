"""Words for what people do in an organisation, in more than twenty languages."""

from typing import Final

# One of these in a short line makes the line a role.
_ROLE_WORDS_TEXT = """
chief präsident präsidentin vizepräsident vizepräsidentin aktuar aktuarin kassierin revisorin jugendwart
vertreter vertreterin sekretariat buchhaltung vertrieb webmasterin platzwart zeugwart platzwartin betreuer
betreuerin koordinator koordinatorin dirigent dirigentin chorleiter organist kantor imker imkerin ceo cto
cfo coo cmo cio cpo chro founder co-founder cofounder owner co-owner proprietor director directors
president vice-president vp chairman chairwoman chairperson chair vice-chair treasurer secretary trustee
manager managing partner associate consultant advisor adviser analyst engineer developer designer
architect administrator accountant bookkeeper assistant coordinator co-ordinator supervisor officer
executive specialist technician mechanic electrician plumber carpenter operator representative broker
attorney lawyer solicitor barrister paralegal counsel notary doctor physician surgeon dentist hygienist
nurse midwife therapist physiotherapist psychologist counsellor counselor pharmacist optometrist optician
veterinarian vet practitioner pediatrician radiologist orthodontist receptionist teacher tutor instructor
lecturer professor coach trainer pastor vicar rector deacon elder priest chaplain bishop imam rabbi editor
journalist author writer photographer producer curator librarian chef cook baker sommelier butcher florist
hairdresser stylist barber beautician realtor surveyor estimator foreman buyer planner recruiter
interpreter translator researcher scientist chemist biologist intern volunteer member captain councillor
councilor mayor councilwoman councilman delegate headmaster headteacher headmistress caretaker janitor
driver salesperson salesman marketer strategist leader webmaster bursar registrar warden steward
superintendent inspector auditor actuary economist underwriter geschäftsführer geschäftsführerin
geschäftsführung geschäftsleitung geschäftsleiter geschäftsinhaber inhaber inhaberin eigentümer
eigentümerin gründer gründerin vorstand vorstandsvorsitzender vorstandsmitglied vorsitzender vorsitzende
vorsitz stellvertreter stellvertreterin stellvertretender stellvertretende kassier kassierer kassiererin
kassenwart schatzmeister schatzmeisterin schriftführer schriftführerin beisitzer beisitzerin obmann obfrau
obmannstellvertreter aufsichtsrat prokurist prokuristin leiter leiterin leitung betriebsleiter
projektleiter teamleiter abteilungsleiter meister meisterin sachverständiger sachverständige rechtsanwalt
rechtsanwältin steuerberater steuerberaterin notar zahnarzt zahnärztin arzt ärztin facharzt fachärztin
heilpraktiker heilpraktikerin tierarzt tierärztin apotheker apothekerin architektin ingenieur ingenieurin
pfarrer pfarrerin pastorin diakon trainerin übungsleiter sekretärin assistentin assistenz sachbearbeiter
sachbearbeiterin mitarbeiter mitarbeiterin ansprechpartner ansprechpartnerin ansprechperson kontaktperson
verantwortlicher verantwortliche verantwortlich betreiber betreiberin verwalter verwalterin buchhalter
buchhalterin kundenberater kundenberaterin fotograf fotografin redakteur redakteurin lehrerin lehrer
referent referentin berater beraterin datenschutzbeauftragter datenschutzbeauftragte monteur elektriker
tischler schreiner koch köchin psychotherapeut psychotherapeutin physiotherapeutin therapeut therapeutin
hebamme mediator mediatorin directeur directrice gérant gérante fondateur fondatrice cofondateur
propriétaire président présidente vice-président vice-présidente trésorier trésorière secrétaire
responsable chargé chargée cheffe adjoint adjointe associé associée avocat avocate notaire médecin docteur
infirmier infirmière kinésithérapeute ostéopathe psychologue sage-femme architecte ingénieur développeur
développeuse conseiller conseillère consultante formateur formatrice animateur animatrice éducateur
éducatrice professeur enseignant enseignante maire rédacteur rédactrice comptable assistante
administrateur administratrice représentant représentante photographe graphiste technicien technicienne
artisan curé membre directora gerente administrador administradora fundador fundadora propietario
propietaria dueño dueña presidenta presidente vicepresidente vicepresidenta tesorero tesorera secretario
secretaria socio socia abogado abogada notario médico médica doctora enfermera enfermero psicóloga
psicólogo fisioterapeuta odontólogo odontóloga dentista arquitecto arquitecta ingeniero ingeniera profesor
profesora maestro maestra entrenador entrenadora coordinador coordinadora jefe jefa encargado encargada
asesor asesora consultor consultora técnico técnica dramaturga dramaturgo actor actriz mediadora mediador
facilitadora diseñador diseñadora fotógrafo fotógrafa apoderado representante alcalde alcaldesa párroco
redactor redactora diretor diretora sócio sócia proprietário proprietária tesoureiro tesoureira secretária
advogado advogada engenheiro engenheira arquiteto arquiteta professora coordenador coordenadora dono
enfermeira responsável nutricionista veterinário veterinária vereador direttore direttrice amministratore
amministratrice titolare fondatore proprietario proprietaria tesoriere segretario segretaria consigliere
consigliera avvocato avvocata notaio medico dottoressa odontoiatra ingegnere architetto geometra
commercialista consulente responsabile coordinatore coordinatrice insegnante docente allenatore istruttore
istruttrice psicologo psicologa psicoterapeuta fisioterapista infermiere infermiera referente impiegata
impiegato parroco sindaco assessore fotografo grafico redattore redattrice procuratore revisore eigenaar
eigenaresse oprichter medeoprichter bestuurder zaakvoerder voorzitter vicevoorzitter penningmeester
secretaris bestuurslid adviseur medewerker medewerkster advocaat arts huisarts tandarts fysiotherapeut
verpleegkundige docent leraar lerares begeleider coördinator teamleider boekhouder makelaar contactpersoon
vertegenwoordiger prezes wiceprezes właściciel właścicielka współwłaściciel dyrektor dyrektorka kierownik
kierowniczka zarząd zarządu członek skarbnik sekretarz przewodniczący przewodnicząca wiceprzewodniczący
księgowa księgowy specjalista specjalistka lekarz stomatolog dentystka fizjoterapeuta psycholog adwokat
radca inżynier nauczyciel nauczycielka trener koordynator doradca przedstawiciel proboszcz założyciel
założycielka asystentka serwisant burmistrz wójt redaktor prokurent jednatel jednatelka majitel majitelka
ředitel ředitelka předseda předsedkyně místopředseda místopředsedkyně pokladník tajemník tajemnice člen
členka vedoucí zástupce zástupkyně konzultant konzultantka technik lékař lékařka zubař právník advokát
advokátka architektka učitel učitelka trenér trenérka účetní asistentka koordinátor koordinátorka starosta
starostka místostarosta farář revizor hospodář správce provozovatel konateľ konateľka majiteľ majiteľka
riaditeľ riaditeľka predseda predsedníčka podpredseda vedúci vedúca zástupca učiteľ učiteľka lekár lekárka
právnik účtovníčka ügyvezető ügyvezetője tulajdonos tulajdonosa igazgató igazgatója elnök elnöke alelnök
titkár titkára kurátor vezető vezetője munkatárs képviselő képviselője képviseli ügyvéd orvos fogorvos
mérnök tanár edző könyvelő asszisztens lelkész lelkipásztor polgármester kapcsolattartó alapító felelős
directoare fondator proprietar președinte preşedinte vicepreședinte secretar trezorier medic inginer
profesoară asociat reprezentant responsabil coordonator contabil primar preot consilier управител
собственик директор председател секретар мениджър адвокат лекар руководитель основатель владелец
учредитель председатель заместитель президент бухгалтер секретарь менеджер врач юрист инженер тренер
преподаватель администратор специалист консультант настоятель директорка керівник засновник власник голова
заступник лікар вчитель διευθυντής διευθύντρια ιδιοκτήτης ιδρυτής πρόεδρος αντιπρόεδρος γραμματέας ταμίας
μέλος διαχειριστής υπεύθυνος ιατρός δικηγόρος müdür müdürü kurucu kurucusu sahibi başkan başkanı
yardımcısı avukat doktor mühendis mimar öğretmen koordinatör uzman uzmanı ordförande kassör sekreterare
ledamot suppleant revisor revisorsuppleant sammankallande vd ägare grundare verkställande ansvarig
rådgivare säljare projektledare handläggare verksamhetschef platschef advokat läkare tandläkare ingenjör
lärare tränare kyrkoherde styrelseledamot valberedning ekonom konsult administratör styreleder styremedlem
leder nestleder kasserer sekretær medlem eier rådgiver selger prosjektleder lege tannlege ingeniør lærer
regnskapsfører varamedlem formand næstformand direktør indehaver ejer bestyrelsesmedlem projektleder
konsulent læge tandlæge træner afdelingsleder salgschef administrerende toimitusjohtaja puheenjohtaja
varapuheenjohtaja sihteeri rahastonhoitaja jäsen johtaja päällikkö omistaja perustaja yrittäjä
asiantuntija yhteyshenkilö lääkäri hammaslääkäri insinööri opettaja valmentaja myyjä asianajaja
kirkkoherra juhataja omanik asutaja direktor esimees juhatuse raamatupidaja priekšsēdētājs īpašnieks
vadītājs vadītāja direktors direktore direktorius direktorė vadovas vadovė savininkas pirmininkas
buhalterė vlasnik direktorica predsjednik predsjednica predsednik tajnik tajnica blagajnik voditelj
voditeljica vodja lastnik zastupnik odvjetnik odvetnik zdravnik učitelj direktur pemilik ketua wakil
sekretaris bendahara pengarah pengurus giám đốc quản lý
"""
ROLE_WORDS: Final = frozenset(_ROLE_WORDS_TEXT.split())

# Endings of compounds: Vertriebsleiterin, projektchef, myyntipäällikkö.
_ENDINGS_TEXT = """
leiter leiterin leitung führer führerin führung berater beraterin meister meisterin arzt ärztin anwalt
anwältin assistent assistentin techniker technikerin ingenieur ingenieurin sekretär sekretärin direktor
direktorin trainer trainerin lehrer lehrerin pfleger pflegerin therapeut therapeutin vorstand vorsitzender
vorsitzende beauftragter beauftragte verantwortlicher verantwortliche mitarbeiter mitarbeiterin referent
referentin kaufmann kauffrau wart wartin vertreter vertreterin betreuer betreuerin inhaber inhaberin
entwickler entwicklerin mechaniker verwalter verwalterin pädagoge pädagogin psychologe psychologin
medewerker leider directeur adviseur begeleider manager managerin ordförande chef ledamot ansvarig ledare
suppleant revisor rådgivare johtaja päällikkö asiantuntija vastaava hoitaja sihteeri konsulent direktør
leder sjef formand kasserer igazgató vezető elnök
"""
ENDINGS: Final = tuple(_ENDINGS_TEXT.split())

# A line that begins like this introduces one or more persons.
PERSON_LABELS: Final = (
    r"vertreten durch|vertretung|vertretungsberechtigt\w*(?: \w+){0,3}|gesetzliche[rn]? vertreter|"
    r"(?:inhaltlich |redaktionell |für (?:den |die )?inhalte? |v\.? ?i\.? ?s\.? ?d\.? "
    r"?p\.?)?verantwortlich(?:e[rn]?)?(?: (?:für|im sinne|i\. ?s\. ?d|gem|nach|laut|iSd)[^:]{0,90})?|für "
    r"(?:den |die )?inhalte? verantwortlich(?: [^:]{0,60})?|angaben gemäß § ?5[^:]{0,20}|"
    r"ansprechpartner(?:in|innen)?(?: \w+){0,3}|ansprechperson(?:en)?|kontaktperson(?:en)?|ihr kontakt|v\. "
    r"?i\. ?s\. ?d\. ?p\.?|represented by|contact persons?|legal representatives?|responsible (?:person|"
    r"for (?:the )?content)|person responsible|authori[sz]ed representative|(?:directeur|directrice|"
    r"responsable) (?:de (?:la )?)?(?:publication|rédaction)|représentée? par|représentant légal|le gérant|"
    r"interlocuteur|personne (?:de contact|à contacter)|éditeur|nom(?: et prénom)?|representada? "
    r"(?:legalmente )?por|representante legal|persona de contacto|responsable(?: del (?:sitio|tratamiento|"
    r"fichero))?|titular(?: del sitio)?|representado por|responsável(?: técnico| legal)?|pessoa de contato|"
    r"legale rappresentante|rappresentante legale|titolare(?: del trattamento)?|responsabile|referente|"
    r"persona di contatto|direttore responsabile|contactpersoon|vertegenwoordigd door|reprezentowan[aey] "
    r"przez|osob[ay] (?:do kontaktu|kontaktow[ae])|kontaktní osob[ay]|kontaktná osoba|zastoupen[aáý]?|"
    r"jednající|odpovědn[áý] osob[ay]|zodpovedná osoba|kapcsolattartó|képviseli|felelős(?: szerkesztő| "
    r"kiadó)?|reprezentant legal|persoan[aă] de contact|контактное лицо|в лице|контактна особа|лице за "
    r"контакт|υπεύθυνος επικοινωνίας|νόμιμος εκπρόσωπος|yetkili(?: kişi)?|kontaktpersoner?|ansvarig "
    r"utgivare|ansvarlig redaktør|yhteyshenkilöt?|vastuuhenkilö|kontaktisik|kontaktpersona|odgovorna osoba|"
    r"zakoniti zastopnik"
)

# Parts of the page that speak of others: customers, partners, readers. "$" ends a word.
OTHERS_SECTION: Final = (
    "testimonial|what our|what people|what they|what clients|what customers|what others|review$|reviews$|"
    "our clients|client stories|customer stories|success stories|happy clients|kundenstimmen|bewertungen|"
    "rezensionen|das sagen|referenzen|kundenmeinungen|gästebuch|unsere kunden|témoignage|avis client|avis "
    "de|avis des|ils parlent|ils nous|livre d'or|testimonios|opiniones|reseñas|lo que dicen|nuestros "
    "clientes|depoimentos|avaliações|o que dizem|nossos clientes|testimonianze|recensioni|dicono di noi|"
    "cosa dicono|opinie|mówią|co mówią|rekomendacje|reference$|recenze|řekli o nás|napsali o nás|vélemények|"
    "rólunk mondták|testimoniale|recenzii|отзывы|відгуки|отзиви|ervaringen|wat klanten|wat onze klanten|"
    "beoordelingen|omdömen|anmeldelser|kunderne siger|arvostelut|yorumlar|müşteri yorum|お客様の声|partners$|"
    "our partners|friends and partners|sponsor|donors$|supporters$|unterstützer|förderer|partenaires|mécènes|"
    "patrocinadores|parceiros|sostenitori|blog post|latest news|latest posts|recent posts|comments$|"
    "kommentare|commentaires|comentarios|commenti|aktuelle beiträge|articles récents|letzte beiträge"
)

# Who made the site, its pictures or its texts.
CREDITS: Final = (
    "web design|webdesign|web-design|webseite|website|homepage|web site|internetauftritt|realisierung|"
    "realisation|réalisation|umsetzung|gestaltung|programmierung|konzeption|design$|designed by|developed "
    "by|powered by|created by|made with|made by|site by|built by|diseñado|desarrollado|diseño web|"
    "desarrollo web|desenvolvido|criado por|realizzato|realizzazione|sito web|creato da|sviluppato|projekt "
    "i wykonanie|wykonanie|projekt strony|realizacja strony|vytvořil|tvorba webu|vyrobil|készítette|"
    "fejlesztés|gemaakt door|ontwikkeld door|ontwerp$|webbdesign|webbplats|nettside|hjemmeside|kotisivut|"
    "toteutus|разработка|создание сайта|hosting|hébergeur|hébergement|hebergement|provider$|alojamiento|"
    "photo$|photos$|photograph|foto$|fotos$|fotografie|fotografía|bilder$|bildnachweis|bildquelle|"
    "bildrechte|image credit|crédit|credits$|photo by|icons$|illustration|grafik$|grafiken$|quellenangabe|"
    "quellen$|texte$|übersetzung|traduction|musik$|autor$|author$|制作"
)

# How people say their names in the first person.
INTRODUCTIONS: Final = (
    "my name is$|i am$|i'm$|i’m$|mein name ist$|ich bin$|ich heiße$|je m'appelle$|je m’appelle$|je suis$|"
    "mi chiamo$|me llamo$|mi nombre es$|meu nome é$|chamo-me$|eu sou$|mijn naam is$|ik ben$|nazywam się$|"
    "jestem$|jmenuji se$|jmenuju se$|volám sa$|jag heter$|jeg heter$|mit navn er$|nimeni on$|mă numesc$"
)

# Roles and offices that only a person has; the others also stand beside fields of work.
_LEGAL_ROLES_TEXT = """
geschäftsführer geschäftsführerin geschäftsführung geschäftsinhaber inhaber inhaberin eigentümer
betreiber vorstand vorstandsvorsitzender prokurist obmann obfrau vertreten verantwortlich gründer
gründerin gérant gérante président présidente fondateur fondatrice propriétaire représentant
représentante owner proprietor ceo founder co-founder chairman chairwoman administrador administradora
propietario propietaria fundador fundadora apoderado sócio sócia proprietário proprietária titolare
amministratore rappresentante fondatore właściciel właścicielka prezes założyciel jednatel jednatelka
majitel majitelka konateľ majiteľ ügyvezető tulajdonos elnök eigenaar eigenaresse zaakvoerder bestuurder
oprichter ägare vd ordförande eier styreleder indehaver ejer formand toimitusjohtaja omistaja
puheenjohtaja fondator proprietar управител директор владелец руководитель власник керівник ιδιοκτήτης
διαχειριστής sahibi kurucu vlasnik chairperson chair treasurer secretary president vice-president
kassier kassierer kassenwart schatzmeister schriftführer vorsitzender vorsitzende trésorier trésorière
secrétaire tesorero tesorera secretario tesoriere segretario penningmeester voorzitter secretaris
skarbnik sekretarz przewodniczący předseda pokladník kassör sekreterare kasserer διευθυντής πρόεδρος
ταμίας γραμματέας direktor lastnik omanik īpašnieks direktors savininkas direktorius
"""
LEGAL_ROLES: Final = frozenset(_LEGAL_ROLES_TEXT.split())
