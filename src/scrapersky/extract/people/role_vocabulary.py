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
groundsman groundskeeper greenkeeper handyman dispatcher expediter foreperson shopkeeper storekeeper
storeman archivist conservator sacristan organiser organizer convener convenor comptroller controller
publicist copywriter illustrator animator videographer filmmaker choreographer dancer musician pianist
violinist guitarist vocalist conductor composer playwright dramaturg podcaster hostess waiter waitress
bartender barista brewer winemaker vintner distiller beekeeper rancher agronomist horticulturist arborist
forester boatbuilder shipwright blacksmith welder machinist roofer bricklayer plasterer glazier decorator
upholsterer locksmith watchmaker goldsmith jeweller jeweler seamstress paramedic chiropractor osteopath
podiatrist acupuncturist masseuse masseur dietitian dietician nutritionist audiologist orthoptist
radiographer sonographer phlebotomist anaesthetist anesthesiologist cardiologist dermatologist
endocrinologist gastroenterologist gynaecologist gynecologist neurologist oncologist ophthalmologist
paediatrician pathologist psychiatrist rheumatologist urologist hypnotherapist psychotherapist homeopath
naturopath doula groomer kennelmaid webmistress archdeacon curate verger churchwarden sexton deaconess
missionary evangelist conveyancer magistrate ombudsman appraiser auctioneer valuer adjuster cashier teller
merchandiser telemarketer copyeditor proofreader typesetter bookbinder sysadmin programmer statistician
mathematician physicist geologist botanist zoologist ecologist astronomer archaeologist anthropologist
historian linguist sociologist postdoc emeritus provost chancellor senco matron housemaster housemistress
childminder lifeguard umpire scorer goalkeeper commodore quartermaster bosun purser stewardess gerätewart
zeugwartin kassenprüfer kassenprüferin rechnungsprüfer rechnungsprüferin pressewart pressesprecher
pressesprecherin schriftwart sportwart sportwartin jugendwartin jugendleiter jugendleiterin spielleiter
abteilungsleiterin ehrenvorsitzender ehrenpräsident ehrenmitglied ortsbrandmeister wehrführer kommandant
kommandantin gruppenführer ortsvorsteher ortsvorsteherin bürgermeister bürgermeisterin oberbürgermeister
gemeinderat gemeinderätin stadtrat stadträtin landrat landrätin dezernent dezernentin amtsleiter
amtsleiterin rechtsfachwirtin steuerfachwirtin bilanzbuchhalterin arzthelferin zahnarzthelferin
prophylaxehelferin gesellin azubi auszubildender auszubildende lehrling praktikant praktikantin werkstudent
werkstudentin volontär volontärin polier vorarbeiter bauleiter bauleiterin kapellmeister konzertmeister
organistin kantorin küster küsterin mesner mesnerin diakonin gemeindereferentin pastoralreferent vikar
vikarin dekan dekanin superintendentin rektorin konrektor konrektorin direktorin hausmeister hausmeisterin
schulsozialarbeiter sozialpädagoge sozialpädagogin sozialarbeiter sozialarbeiterin erzieher erzieherin
kinderpfleger kinderpflegerin logopäde logopädin ergotherapeut ergotherapeutin osteopathin podologe
podologin masseurin kosmetikerin kosmetiker friseurin floristin konditor konditorin metzgermeister
küchenchef souschef köche sommelière kellnerin winzer winzerin kellermeister landwirt landwirtin gärtner
gärtnerin försterin tierpfleger tierpflegerin dozent dozentin übersetzer übersetzerin dolmetscher
dolmetscherin autor autorin schriftsteller journalistin lektorin grafiker grafikerin designerin
illustratorin künstler künstlerin musiker musikerin sängerin schauspieler regisseur regisseurin intendant
intendantin bühnenbildner kuratorin archivar archivarin bibliothekar bibliothekarin historiker makler
maklerin gutachter gutachterin vermieter vermieterin gastgeber gastgeberin hausverwalter sachkundiger
disponent disponentin lagerist fahrer kraftfahrer gérantes cogérant cogérante dirigeant dirigeante patronne
exploitant exploitante viticulteur viticultrice vigneron vigneronne œnologue maraîcher éleveur éleveuse
apiculteur boulangère pâtissier pâtissière cuisinier cuisinière traiteur charcutier chocolatier coiffeur
coiffeuse esthéticienne menuisier ébéniste charpentier plombier électricien peintre couvreur serrurier
paysagiste jardinier mécanicien carrossier chauffeur chaudronnier soudeur standardiste hôtesse auxiliaire
ostéopathes podologue orthophoniste orthoptiste ergothérapeute psychomotricienne psychomotricien
diététicienne sophrologue naturopathe pharmacien pharmacienne dentiste orthodontiste vétérinaire pédiatre
ophtalmologue dermatologue psychiatre psychanalyste huissier greffier juriste fiscaliste clerc commissaire
géomètre urbaniste dessinateur dessinatrice métreur conducteur conductrice vendeur vendeuse acheteur
acheteuse négociateur négociatrice conseillers échevin échevine bourgmestre député députée sénateur
proviseur proviseure surveillant surveillante documentaliste bibliothécaire atsem instituteur institutrice
doctorant doctorante chercheur chercheuse metteur comédien comédienne musicien musicienne chanteuse danseuse
chorégraphe régisseur régisseuse scénographe costumière webmestre bénévole entraîneur entraîneuse moniteur
monitrice capitaine arbitre prêtre diacre aumônier traducteur traductrice interprète síndico síndica vocalía
vicesecretario vicesecretaria contador contadora interventora interventor concejal concejala concejalía
regidor regidora teniente delegado delegada subdirector subdirectora rectora decano decana orientador
orientadora tutora logopeda pedagogo pedagoga educador educadora trabajador trabajadora psiquiatra pediatra
cardiólogo cardióloga dermatólogo dermatóloga ginecólogo ginecóloga oftalmólogo oftalmóloga traumatólogo
urólogo otorrino podólogo podóloga osteópata quiropráctico dietista farmacéutico farmacéutica óptico
veterinaria higienista auxiliar recepcionista administrativo administrativa contable vendedor vendedora
comprador mecánico electricista fontanero carpintero albañil pintor soldador cocinero cocinera camarero
panadero pastelero enólogo enóloga bodeguero viticultor agricultor ganadero apicultor jardinero peluquero
peluquera esteticista procurador procuradora graduado graduada economista gestor gestora perito perita
tasador notaria registrador intérprete traductor traductora periodista escritor escritora ilustrador
ilustradora músico bailarina bailarín coreógrafa cantante investigador investigadora catedrático catedrática
becario becaria voluntario voluntaria monitor monitora capitán árbitro sacerdote capellán diácono vicario
hermano hermana superiora suplente conselheiro conselheira zelador zeladora secretário contabilista
estagiário estagiária compradora cozinheiro cozinheira padeiro confeiteira barbeiro cabeleireira manicure
farmacêutico farmacêutica biomédica biomédico fonoaudióloga psicopedagoga fisioterapeutas ortodontista
cirurgião cirurgiã cardiologista dermatologista ginecologista oftalmologista mecânico eletricista encanador
pedreiro prefeito prefeita deputado deputada presbítero solicitadora solicitador formador formadora
jornalista tradutor tradutora encenador encenadora regente treinador treinadora encarregado encarregada
vicesegretario consiglieri probiviro sindaca vicesindaco vicesindaca assessora collaboratrice collaboratore
bidello educatore educatrice logopedista ostetrica ostetrico farmacista ottico optometrista podologo
osteopata nutrizionista biologo biologa igienista cardiologo dermatologo ginecologo oculista psichiatra
urologo veterinario agronomo enologo enologa cantiniere viticoltore agricoltore apicoltore cuoco cuoca
pasticcere pasticcera panettiere pizzaiolo cameriere parrucchiere parrucchiera estetista falegname idraulico
elettricista muratore imbianchino meccanico carrozziere saldatore magazziniere autista commessa commesso
venditore venditrice tributarista ragioniere ragioniera contabile impiegati praticante tirocinante stagista
ricercatore ricercatrice professore professoressa dottorando rettore giornalista scrittore scrittrice
traduttore traduttrice interprete illustratore regista attore musicista coreografa bibliotecario
bibliotecaria archivista curatore curatrice diacono vescovo viceparroco catechista capitano arbitro
preparatore massaggiatore wethouder burgemeester raadslid schepen griffier dominee predikant ouderling
kerkrentmeester conrector teamcoördinator ib'er leerkracht conciërge onderwijsassistent gastouder logopedist
diëtist podotherapeut mondhygiënist tandartsassistente doktersassistente praktijkondersteuner
praktijkmanager praktijkhouder dierenarts oefentherapeut verloskundige kraamverzorgende wijkverpleegkundige
psychiater notaris deurwaarder jurist belastingadviseur boekhoudster werkvoorbereider uitvoerder
projectleider bedrijfsleider bedrijfsleidster vestigingsmanager magazijnmedewerker loodgieter stukadoor
metselaar hovenier tuinman kweker veehouder gastheer gastvrouw kapster schoonheidsspecialiste verkoper
verkoopster verkoopadviseur vertegenwoordigster inkoper redacteur hoofdredacteur vormgever tekenaar
schrijver vertaler kunstenaar wedstrijdsecretaris ledenadministratie materiaalman scheidsrechter
vrijwilliger stagiair stagiaire onderzoeker hoogleraar promovendus prezeska wiceprezeska sołtys radny radna
wicestarosta wiceburmistrz sekretarka recepcjonistka recepcjonista asystent pracownik referendarz inspektor
podinspektor naczelnik zastępca wicedyrektor pedagog wychowawca wychowawczyni bibliotekarz bibliotekarka
woźny konserwator wykładowca adiunkt doktorant kardiolog dermatolog ginekolog okulista ortodonta chirurg
psychiatra psychoterapeuta pielęgniarka położna ratownik farmaceuta weterynarz rehabilitant masażysta
dietetyk kosmetolog kosmetyczka fryzjer fryzjerka higienistka prawnik notariusz komornik rzecznik aplikant
geodeta projektant projektantka konstruktor elektryk hydraulik stolarz mechanik kierowca magazynier
handlowiec sprzedawca doradczyni agent pośrednik rzeczoznawca piekarz cukiernik kelner rolnik ogrodnik
leśnik pszczelarz dziennikarz dziennikarka tłumacz tłumaczka grafik fotografka reżyser aktor muzyk dyrygent
kurator wikariusz wikary ksiądz organista katechetka opiekun opiekunka wolontariusz instruktor instruktorka
kapitan sędzia właściciele wspólnik wspólniczka jednatelé společník společnice ředitelé náměstek náměstkyně
místostarostka zastupitel zastupitelka úředník úřednice referentka matrikářka pokladní kronikář knihovník
knihovnice školník vychovatelka vychovatel asistent pedagožka psycholožka logopedka logoped sestra sestřička
stomatoložka pediatr pediatrička gynekolog fyzioterapeut fyzioterapeutka masér masérka kosmetička kadeřnice
kadeřník lékárník lékárnice veterinář veterinářka notář notářka exekutor poradce poradkyně makléř makléřka
odhadce znalec stavbyvedoucí mistr elektrikář instalatér truhlář zedník řidič skladník obchodník prodavač
prodejce nákupčí kuchař kuchařka šéfkuchař cukrář pekař číšník vinař sklepmistr zahradník včelař myslivecký
redaktorka novinář překladatel překladatelka tlumočnice grafička režisér herec herečka hudebník sbormistr
varhaník kaplan jáhen kazatel vikář ministrant kapitán rozhodčí dobrovolník doktorand profesorka rektor
děkan proděkan prorektor primář primářka staniční velitel strojník spoločník námestník poslanec poslankyňa
kontrolór pracovníčka pracovník knihovníčka školníčka vychovávateľka sestrička lekárnik lekárnička zubár
zubárka veterinár notárka účtovník majster vodič kuchárka farár kaplán tréner trénerka dobrovoľník prednosta
igazgatóhelyettes alpolgármester jegyző képviselőtestület ügyintéző titkárnő recepciós pénztáros
intézményvezető óvodavezető óvónő dajka pedagógus tanító tanítónő gyógypedagógus logopédus pszichológus
edzőnő oktató oktatásvezető könyvtáros főorvos szakorvos háziorvos gyermekorvos fogszakorvos fogtechnikus
asszisztensnő ápoló ápolónő védőnő gyógytornász masszőr kozmetikus fodrász gyógyszerész állatorvos közjegyző
jogász adótanácsadó építész tervező építésvezető villanyszerelő kőműves gépész sofőr raktáros értékesítő
üzletkötő beszerző ingatlanközvetítő értékbecslő cukrász felszolgáló borász kertész méhész újságíró fordító
tolmács grafikus fotós fényképész rendező színész zenész karnagy kántor plébános káplán gondnok presbiter
játékvezető önkéntes kutató docens adjunktus doktorandusz dékán administratoare viceprimar consiliera
referentă casier casieră bibliotecar bibliotecară învățătoare învățător educatoare educator dirigintă lector
conferențiar asistentă cercetător cercetătoare doctorand decan prodecan prorector avocată executor juristă
consultantă expertă contabilă economistă arhitect arhitectă inginera proiectant instalator mecanic șofer
gestionar vânzător evaluator bucătar bucătară cofetar patiser ospătar coafeză cosmetician cosmeticiană
farmacist farmacistă ortodont pediatru ginecolog psiholog psihologă psihoterapeut kinetoterapeut
fizioterapeut asistenta infirmieră moașă veterinar jurnalist traducător traducătoare interpret regizor
muzician dirijor paroh diacon voluntar antrenor antrenoare arbitru vicepreședintă președintă cofondator
asociata directori klubbmästare materialare banchef kanslist kanslichef ordföranden kommunalråd
kommundirektör biträdande förskollärare fritidspedagog skolsköterska skolkurator specialpedagog vaktmästare
kokerska servitör restaurangchef köksmästare hovmästare sjuksköterska undersköterska barnmorska
tandhygienist tandsköterska sjukgymnast naprapat kiropraktor massör massageterapeut psykolog psykoterapeut
socionom apotekare veterinär djurskötare hovslagare frisör hudterapeut trädgårdsmästare lantbrukare biodlare
skogsmästare mäklare fastighetsmäklare förvaltare fastighetsskötare rörmokare plåtslagare svetsare mekaniker
chaufför lagerchef lageransvarig butikschef butikssäljare säljchef inköpare inköpschef redovisningsekonom
redovisningskonsult lönekonsult ekonomiansvarig ekonomichef kundtjänst kommunikatör marknadschef
marknadsförare redaktör chefredaktör översättare formgivare illustratör konstnär kyrkomusiker körledare
regissör skådespelare producent komminister präst församlingsherde församlingspedagog husmor kyrkvaktmästare
lagledare målvakt domare ungdomsledare forskare universitetslektor lektor prefekt verkstadschef arbetsledare
projektör konstruktör arkitekt byggnadsingenjör firmatecknare delägare medgrundare grundaren styreformann
varaleder materialforvalter kassererer inspektør undervisningsinspektør barnehagelærer assistent vaktmester
renholder sykepleier helsesykepleier jordmor tannpleier fysioterapeut apoteker veterinær frisør hudpleier
servitør kjøkkensjef gartner birøkter eiendomsmegler forvalter snekker rørlegger maler sjåfør lagersjef
butikksjef innkjøper regnskapssjef økonomisjef resepsjonist redaktør oversetter illustratør kunstner
regissør skuespiller sokneprest kapellan kateket oppmann lagleder ungdomskontakt forsker stipendiat
førsteamanuensis sivilingeniør byggeleder ordfører varaordfører rådmann kommunedirektør varamann medeier
grunnlegger viceformand bestyrelsesformand kontorassistent bogholder regnskabschef økonomichef skoleleder
viceskoleleder pædagog pædagogmedhjælper børnehaveklasseleder pedel køkkenleder bager tjener sygeplejerske
jordemoder tandplejer klinikassistent osteopat zoneterapeut farmaceut dyrlæge veterinærsygeplejerske
landmand biavler ejendomsmægler tømrermester snedker murer chauffør sælger salgskonsulent indkøber
oversætter kirkesanger korleder instruktør sognepræst provst kirketjener menighedsrådsformand holdleder
ungdomsleder adjunkt bygningskonstruktør borgmester byrådsmedlem medejer stifter grundlægger
forretningsfører pääsihteeri kunnanjohtaja kaupunginjohtaja rehtori apulaisrehtori lehtori luokanopettaja
erityisopettaja lastenhoitaja koulusihteeri talonmies vahtimestari kokki keittiömestari leipuri kondiittori
tarjoilija sairaanhoitaja terveydenhoitaja lähihoitaja kätilö suuhygienisti hammashoitaja fysioterapeutti
osteopaatti naprapaatti hieroja psykologi psykoterapeutti sosionomi apteekkari farmaseutti eläinlääkäri
kampaaja parturi kosmetologi floristi puutarhuri maanviljelijä mehiläishoitaja kiinteistönvälittäjä
isännöitsijä rakennusmestari työnjohtaja kirvesmies sähköasentaja putkiasentaja maalari mekaanikko
kuljettaja varastopäällikkö myymäläpäällikkö ostaja kirjanpitäjä talouspäällikkö palkanlaskija
toimistosihteeri toimittaja päätoimittaja kääntäjä tulkki valokuvaaja graafikko kuvittaja taiteilija
muusikko kanttori kuoronjohtaja ohjaaja näyttelijä pastori kappalainen diakoni suntio tuomari
joukkueenjohtaja huoltaja tutkija dosentti professori arkkitehti rakennusinsinööri suunnittelija varajäsen
varatuomari osakas müdiresi yardımcı asistan asistanı sekreter muhasebeci müşavir denetçi temsilcisi
temsilci danışman danışmanı yönetici yöneticisi direktörü direktör koordinatörü üyesi başkanvekili saymanı
sayman dekanı rektör profesörü doçent okutman akademisyen eğitmen eğitmeni antrenör antrenörü psikolog
psikoloğu diyetisyen fizyoterapist eczacı hemşire hekimi hekim cerrah cerrahı veteriner noter arabulucu
tercüman çevirmen gazeteci editör editörü yazar fotoğrafçı tasarımcı tasarımcısı içmimar mühendisi teknisyen
teknikeri tekniker ustası ustabaşı aşçıbaşı kuaför sorumlusu sorumlu uzmanları operatör operatörü şoför
kaymakam ortağı ortak заведующий заведующая директора замдиректора гендиректор завуч завхоз воспитатель
воспитательница педагог логопед дефектолог методист библиотекарь учитель учительница профессор доцент декан
ректор проректор аспирант стоматолог ортодонт терапевт хирург педиатр гинеколог дерматолог косметолог
массажист кардиолог невролог окулист офтальмолог психиатр психолог психотерапевт рентгенолог уролог фельдшер
медсестра санитарка провизор фармацевт ветеринар нотариус помощник юрисконсульт риэлтор риелтор оценщик
аудитор экономист кассир логист кладовщик водитель механик электрик слесарь сварщик столяр мастер прораб
архитектор дизайнер проектировщик конструктор программист разработчик тестировщик маркетолог редактор
главред корреспондент журналист переводчик фотограф оператор режиссёр режиссер актёр актриса музыкант
дирижёр хореограф художник скульптор куратор хранитель повар пекарь кондитер официант бармен парикмахер
стилист визажист продавец агент снабженец диспетчер делопроизводитель управляющий управляющая партнёр
партнер совладелец соучредитель депутат глава староста протоиерей иерей священник диакон регент волонтёр
инструктор капитан судья начальник вожатый завідувач завідувачка заступниця вчителька викладачка вихователь
вихователька психологиня бібліотекарка бухгалтерка лікарка стоматологиня хірург педіатр провізор адвокатка
юристка нотаріус менеджерка архітекторка дизайнерка інженерка програміст редакторка журналістка перекладач
перекладачка режисер режисерка актор акторка художниця кухар перукар майстер майстриня продавець водій
слюсар електрик тренерка депутатка парох керуюча керуючий співзасновник співзасновниця асистентка помічник
адміністраторка консультантка координатор координаторка управителка собственичка учител учителка
преподавател преподавателка възпитател библиотекар касиер счетоводител счетоводителка асистент професор
зъболекар педиатър акушер аптекар архитект проектант програмист преводач режисьор актьор готвач сладкар
сервитьор фризьор козметик майстор шофьор електротехник търговец продавач консултант консултантка експерт
специалистка кметица съветник секретарка треньорка треньор свещеник доброволец съосновател основател
основателка власница наставник наставница учитељ учитељица професорка васпитач васпитачица рачуновођа
благајник лекарка апотекар адвокаткиња правник нотар архитекта инжењер пројектант програмер дизајнер уредник
уредница новинар новинарка преводилац редитељ глумац сликар кувар посластичар фризер возач механичар
председник председница потпредседник заменик чланица свештеник διευθύνων διευθύνουσα σύμβουλος υπεύθυνη
συνιδρυτής ιδιοκτήτρια ιδρύτρια συνεργάτης συνεργάτιδα βοηθός λογιστής λογίστρια φοροτεχνικός
συμβολαιογράφος δικαστικός μηχανικός αρχιτέκτονας αρχιτέκτων σχεδιαστής τοπογράφος ηλεκτρολόγος υδραυλικός
τεχνικός τεχνίτης οδηγός αποθηκάριος πωλητής πωλήτρια μεσίτης μάγειρας ζαχαροπλάστης αρτοποιός σερβιτόρος
οινολόγος αγρότης μελισσοκόμος κομμωτής κομμώτρια αισθητικός φαρμακοποιός κτηνίατρος οδοντίατρος
ορθοδοντικός παιδίατρος γυναικολόγος δερματολόγος καρδιολόγος οφθαλμίατρος ψυχίατρος ψυχολόγος
ψυχοθεραπευτής ψυχοθεραπεύτρια λογοθεραπευτής λογοθεραπεύτρια εργοθεραπευτής φυσικοθεραπευτής
φυσικοθεραπεύτρια διαιτολόγος διατροφολόγος νοσηλευτής νοσηλεύτρια καθηγητής καθηγήτρια δάσκαλος δασκάλα
νηπιαγωγός εκπαιδευτικός υποδιευθυντής υποδιευθύντρια ερευνητής ερευνήτρια προπονητής προπονήτρια γυμναστής
γυμνάστρια δημοσιογράφος μεταφραστής μεταφράστρια φωτογράφος σκηνοθέτης ηθοποιός μουσικός χορογράφος
ζωγράφος ιερέας εφημέριος διάκονος δήμαρχος αντιδήμαρχος επόπτης έφορος κοσμήτορας skrifstofustjóri
framkvæmdastjóri forstjóri forstöðumaður verkstjóri verkefnastjóri deildarstjóri sölustjóri markaðsstjóri
fjármálastjóri rekstrarstjóri mannauðsstjóri þjónustustjóri aðstoðarmaður ritari gjaldkeri formaður
varaformaður meðstjórnandi skólastjóri kennari leikskólakennari læknir tannlæknir hjúkrunarfræðingur
sjúkraþjálfari lögmaður bókari endurskoðandi bílstjóri smiður rafvirki kokkur prestur þjálfari eigandi
stofnandi ráðgjafi sérfræðingur sölumaður liige asedirektor direktriss õppealajuhataja õpetaja
lasteaiaõpetaja huvijuht sekretär juhiabi müügijuht projektijuht turundusjuht tegevjuht finantsjuht
raamatukoguhoidja perearst hambaarst pereõde füsioterapeut psühholoog logopeed apteeker loomaarst advokaat
arhitekt insener elektrik töödejuhataja peakokk pagar kondiiter juuksur kosmeetik müüja konsultant maakler
hindaja autojuht laojuhataja toimetaja ajakirjanik tõlkija fotograaf lavastaja näitleja muusik koorijuht
treener kohtunik vallavanem linnapea vallasekretär juhendaja spetsialist nõunik kaasasutaja loceklis locekle
direktora vietnieks vietniece skolotājs skolotāja audzinātāja lietvede lietvedis sekretāre grāmatvedis
grāmatvede menedžeris menedžere speciālists speciāliste ārsts ārste zobārsts zobārste fizioterapeits
psihologs logopēds farmaceits veterinārārsts advokāts jurists notārs arhitekts arhitekte inženieris
inženiere elektriķis meistars pavārs pavāre konditors frizieris friziere pārdevējs pārdevēja konsultants
konsultante brokeris šoferis redaktors redaktore žurnāliste tulks tulkotāja fotogrāfs režisors aktieris
mūziķis diriģents treneris trenere tiesnesis mācītājs asistents asistente koordinators koordinatore
dibinātājs īpašniece pavaduotojas pavaduotoja mokytojas mokytoja auklėtoja auklėtojas sekretorė sekretorius
raštvedė referentė administratorė administratorius buhalteris finansininkė vadybininkas vadybininkė
specialistas specialistė gydytojas gydytoja odontologas odontologė slaugytoja kineziterapeutas psichologas
psichologė logopedė vaistininkas veterinaras advokatas advokatė teisininkas teisininkė notaras architektas
architektė inžinierius inžinierė konstruktorius elektrikas meistras virėjas virėja konditeris kirpėja
kirpėjas pardavėja pardavėjas konsultantas konsultantė vairuotojas sandėlininkas redaktorius redaktorė
žurnalistas vertėjas vertėja fotografas režisierius aktorius muzikantas dirigentas trenerė teisėjas kunigas
klebonas asistentas asistentė koordinatorius koordinatorė įkūrėjas įkūrėja savininkė bibliotekininkė
seniūnas meras ravnatelj ravnateljica pomoćnik pomoćnica zamjenik zamjenica učiteljica nastavnik nastavnica
odgojitelj odgojiteljica odgajateljica profesorica pedagoginja psihologinja logopedinja knjižničar
knjižničarka tajništvo računovođa računovotkinja knjigovođa suradnik suradnica savjetnik savjetnica
stomatologinja doktorica tehničar fizioterapeutkinja ljekarnik ljekarnica veterinarka odvjetnica pravnik
pravnica bilježnik arhitektica inženjer inženjerka projektantica programer dizajner dizajnerica urednik
urednica novinar novinarka prevoditelj prevoditeljica redatelj redateljica glumac glumica glazbenik
zborovođa slikar kuharica slastičar pekar konobar vinar frizer frizerka kozmetičarka majstor električar
mehaničar vozač skladištar komercijalist trenerica sudac župnik kapelan đakon načelnik načelnica vijećnik
vijećnica povjerenik dopredsjednik dopredsjednica potpredsjednik osnivač osnivačica suvlasnik rukovoditelj
rukovodilac šefica upravitelj upraviteljica poslovođa menadžer menadžerica vzgojitelj vzgojiteljica pomočnik
pomočnica namestnik namestnica računovodja računovodkinja svetovalec svetovalka sodelavec sodelavka
zobozdravnik zobozdravnica zdravnica fizioterapevt fizioterapevtka lekarnar lekarnarica odvetnica notarka
arhitektka inženir inženirka programerka oblikovalec oblikovalka prevajalec prevajalka fotografinja režiser
režiserka igralec igralka glasbenik zborovodja slikarka slaščičar natakar čebelar mojster mizar mehanik
voznik skladiščnik prodajalec prodajalka komercialist trenerka sodnik župan županja podžupan svetnik
svetnica podpredsednik podpredsednica ustanovitelj ustanoviteljica solastnik direktorice vodje nënkryetar
kryetar kryetare drejtor drejtore drejtori sekretar sekretare menaxher menaxhere inxhinier inxhiniere mësues
mësuese avokat avokate mjeke ekonomist ekonomiste kontabilist përgjegjës themelues pronar anëtar anëtare
manajer asisten penasihat konsultan pengacara dokter perawat bidan dosen kaprodi peneliti arsitek insinyur
desainer teknisi sopir akuntan penulis wartawan pendeta ustadz pelatih pendiri direktris komisaris lurah
camat bupati gubernur setiausaha pengerusi jurutera akauntan peguam pensyarah mkurugenzi mwenyekiti katibu
mhasibu meneja msimamizi mwalimu mhandisi daktari muuguzi mchungaji mjumbe mratibu afisa dereva fundi
mwanzilishi mmiliki mshauri stiúrthóir cathaoirleach rúnaí cisteoir bainisteoir múinteoir príomhoide
prifathro prifathrawes pennaeth cadeirydd trysorydd ysgrifennydd rheolwr rheolwraig cyfarwyddwr
cyfarwyddwraig swyddog cydlynydd athro athrawes zuzendari zuzendaria lehendakari lehendakaria idazkari
idazkaria diruzain diruzaina irakasle irakaslea administrari koordinatzaile abokatu conseller consellera
alcaldessa vicepresident tresorer tresorera secretari secretària advocat advocada metge metgessa mestra
psicòloga psicòleg infermera infermer arquitecte enginyer enginyera tècnic tècnica sòcia gerent
administratiu inh kommandant kommandantin clerk trưởng phó corretor corretora
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
geschäftsführer geschäftsführerin geschäftsführung geschäftsinhaber inhaber inhaberin inh eigentümer
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
