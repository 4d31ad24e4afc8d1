"""Headings and labels under which an organisation lists its people, in many languages."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from scrapersky.extract.people.given_names import GIVEN_NAMES
from scrapersky.extract.people.names import fold_name
from scrapersky.extract.people.roles import is_plural_role

# They say that people follow, but not what these do.
_TEAMS_TEXT = """
team|teams|staff|our people|people|crew|personnel|who we are|who is who|contact persons|contacts|employees|
colleagues|leadership|professionals|faculty|speakers|
ansprechpartner|ansprechpartnerin|ansprechpartnerinnen|ansprechpersonen|mitarbeiter|mitarbeiterinnen|
mitarbeitende|belegschaft|personal|kollegium|kontaktpersonen|praxisteam|
équipe|equipe|l'équipe|l’équipe|personnel|collaborateurs|interlocuteurs|nos équipes|qui sommes-nous|
equipo|personal|profesionales|quiénes somos|colaboradores|plantilla|
nosso time|equipa|profissionais|colaboradores|quem somos|squadra|staff|chi siamo|collaboratori|lo staff|
medewerkers|ons team|contactpersonen|collega's|wie zijn wij|
zespół|pracownicy|nasz zespół|kadra|kontakty|tým|zaměstnanci|pracovníci|zamestnanci|
csapat|csapatunk|munkatársak|munkatársaink|kollégáink|kapcsolattartók|echipa|echipa noastră|angajați|
personal|medarbetare|personalen|kontaktpersoner|ansatte|våre ansatte|medarbejdere|medarbejderne|personale|
henkilökunta|henkilöstö|yhteyshenkilöt|työntekijät|tiimi|tiimimme|meeskond|töötajad|komanda|darbuotojai|
djelatnici|zaposleni|ekipa|naš tim|osoblje|ekip|ekibimiz|kadromuz|çalışanlar|personel|
starfsfólk|starfsmenn|foireann|staff list|timu yetu|wafanyakazi|ekipa|stafi|գործընկերներ|наші фахівці|фахівці|
наші спеціалісти|наши специалисты|наши сотрудники|команда|наша команда|тим|сотрудники|коллектив|
наш коллектив|персонал|специалисты|співробітники|колектив|екип|
нашият екип|служители|запослени|ομάδα|η ομάδα μας|προσωπικό|συνεργάτες|
tim kami|staf|đội ngũ|nhân sự|
فريق|فريقنا|فريق العمل|الموظفون|الموظفين|طاقم|تیم|تیم ما|کارکنان|پرسنل|צוות|הצוות|הצוות שלנו|אנשי קשר|
हमारे शिक्षक|צוות המשרד|צוות המרפאה|टीम|हमारी टीम|कर्मचारी|कर्मचारीहरू|हाम्रो टिम|
टिम|ทีมงาน|ทีม|บุคลากร|พนักงาน|দল|আমাদের দল|টিম|குழு|
გუნდი|თანამშრომლები|ჩვენი გუნდი|թիմ|թիմը|աշխատակիցներ|
团队|團隊|员工|員工|同仁|成员|成員|师资|スタッフ|チーム|メンバー|社員|講師紹介|팀|직원|구성원|의료진|임직원|강사진
"""
# Offices and professions in the plural: what the heading says is what everybody below it does.
_GROUPS_TEXT = """
trustees|directors|board of directors|board of trustees|board|board members|members of the board|governors|
governing body|governing board|managing committee|executive committee|committee|committee members|council|
councillors|councilors|officers|office bearers|executives|management|management team|senior management|
managers|partners|attorneys|lawyers|solicitors|barristers|associates|consultants|advisors|advisers|
advisory board|doctors|physicians|surgeons|dentists|nurses|therapists|counsellors|counselors|teachers|
teaching staff|instructors|coaches|trainers|professors|lecturers|researchers|principal investigators|
research associates|research assistants|engineers|designers|developers|architects|members|committee chairs|
founders|co-founders|owners|volunteers|ministers|elders|deacons|pastors|clergy|wardens|stewards|secretaries|
coordinators|administrators|technicians|interns|assistants|editors|editorial board|patrons|ambassadors|
representatives|agents|brokers|realtors|guides|musicians|players|artists|actors|dancers|fellows|students|
vorstand|vorstandsmitglieder|der vorstand|geschäftsführung|geschäftsleitung|geschäftsführer|beisitzer|
beisitzerinnen|beirat|aufsichtsrat|kuratorium|stiftungsrat|präsidium|ausschuss|leitung|schulleitung|
praxisleitung|ärzte|ärztinnen|unsere ärzte|rechtsanwälte|anwälte|steuerberater|trainer|übungsleiter|
jugendleiter|gemeinderat|gemeinderäte|presbyterium|kirchenvorstand|elternbeirat|mitglieder|vertrauensleute|
kassenprüfer|betriebsrat|personalrat|lehrer|lehrkräfte|kollegium|dozenten|referenten|auszubildende|azubis|
bureau|le bureau|conseil d'administration|conseil d’administration|conseil municipal|comité|comité directeur|
direction|administrateurs|associés|avocats|médecins|adjoints|les adjoints|conseillers municipaux|membres|
membres du bureau|enseignants|formateurs|bénévoles|commission|
junta directiva|directiva|consejo de administración|consejo directivo|patronato|vocales|socios|abogados|
médicos|profesores|profesorado|docentes|concejales|miembros|comité ejecutivo|directorio|
diretoria|conselho fiscal|conselho|sócios|advogados|médicos|professores|membros|vereadores|
consiglio direttivo|consiglio di amministrazione|consiglio|direttivo|soci|avvocati|medici|docenti|
insegnanti|consiglieri|membri|assessori|giunta|collegio sindacale|probiviri|revisori dei conti|
bestuur|bestuursleden|het bestuur|raad van toezicht|raad van bestuur|directie|leden|trainers|docenten|
leerkrachten|advocaten|artsen|vrijwilligers|
zarząd|rada nadzorcza|rada|członkowie|członkowie zarządu|komisja rewizyjna|dyrekcja|lekarze|nauczyciele|
prawnicy|adwokaci|trenerzy|radni|wspólnicy|
výbor|členové výboru|představenstvo|dozorčí rada|správní rada|vedení|lékaři|učitelé|trenéři|zastupitelé|
členové|revizní komise|členovia|predstavenstvo|vedenie|učitelia|lekári|zastupiteľstvo|
kuratórium|elnökség|vezetőség|felügyelőbizottság|felügyelő bizottság|igazgatóság|orvosok|orvosaink|tanárok|
tagok|edzők|képviselők|vezetők|
consiliul director|consiliul de administrație|conducere|conducerea|medici|profesori|avocați|membri|membrii|
styrelse|styrelsen|ledamöter|suppleanter|styrelseledamöter|valberedning|valberedningen|revisorer|ledning|
ledningsgrupp|tränare|lärare|läkare|advokater|jurister|förtroendevalda|
styret|styre|styremedlemmer|varamedlemmer|valgkomite|ledelse|ledelsen|trenere|lærere|leger|advokater|
bestyrelse|bestyrelsen|bestyrelsesmedlemmer|suppleanter|medlemmer|direktion|direktionen|udvalg|trænere|læger|
undervisere|instruktører|
hallitus|hallituksen jäsenet|jäsenet|varajäsenet|johtoryhmä|johto|valmentajat|opettajat|lääkärit|toimikunta|
asiantuntijat|juhatus|nõukogu|valde|valdyba|taryba|uprava|nadzorni odbor|upravni odbor|članovi|učitelji|
liječnici|odvjetniki|upravni svet|
yönetim kurulu|yönetim|denetim kurulu|üyeler|doktorlarımız|hekimlerimiz|avukatlar|öğretmenler|antrenörler|
kurucular|ortaklar|
правление|совет директоров|руководство|администрация|наблюдательный совет|врачи|наши врачи|преподаватели|
учителя|тренеры|члены правления|члены|юристы|адвокаты|попечительский совет|педагогический состав|
правління|керівництво|адміністрація|наглядова рада|лікарі|вчителі|викладачі|члени правління|
управителен съвет|съвет на директорите|ръководство|лекари|учители|членове|управни одбор|
διοικητικό συμβούλιο|διοίκηση|μέλη|ιατροί|γιατροί|δικηγόροι|καθηγητές|εκπαιδευτικοί|προπονητές|
pengurus|dewan direksi|direksi|dewan komisaris|dewan guru|guru|anggota|pembina|pengawas|
ban giám đốc|ban lãnh đạo|hội đồng quản trị|giáo viên|bác sĩ|luật sư|
مجلس الإدارة|أعضاء مجلس الإدارة|الإدارة|الإدارة العليا|الأطباء|أطباؤنا|المحامون|المدربون|الأعضاء|المؤسسون|
هیئت مدیره|مدیران|پزشکان|وکلا|اعضا|הנהלה|ועד|הוועד המנהל|ועד מנהל|דירקטוריון|חברי הוועד|חברי ועד|הרופאים|
עורכי הדין|מורים|
प्रबंध समिति|प्रबंधन|कार्यकारिणी|कार्यसमिति|संचालक समिति|निदेशक मंडल|सदस्य|शिक्षक|शिक्षकगण|पदाधिकारी|न्यासी|
चिकित्सक|คณะกรรมการ|กรรมการ|ผู้บริหาร|คณะผู้บริหาร|แพทย์|อาจารย์|คณาจารย์|
পরিচালনা পর্ষদ|পরিচালকবৃন্দ|কার্যনির্বাহী কমিটি|শিক্ষকবৃন্দ|সদস্যবৃন্দ|নির্বাহী কমিটি|
நிர்வாகக் குழு|ஆசிரியர்கள்|உறுப்பினர்கள்|
გამგეობა|საბჭო|ექიმები|ხელმძღვანელობა|խորհուրդ|վարչություն|տնօրինություն|
董事会|董事會|理事会|理事會|监事会|監事會|管理层|管理層|管理团队|管理團隊|委员会|委員會|领导班子|律师|律師|医生|教师|专家|
zastupitelstvo|výkonný výbor|rada školy|školská rada|választmány|
elöljáróság|mesa directiva|comisión directiva|
consejo académico|diretoria executiva|conselho diretor|mesa diretora|управа|управни савет|скупштина|
ban điều hành|ban chấp hành|ban quản trị|stjórn|stjórnin|nõukogu liikmed|juhatuse liikmed|valdes locekļi|
valdybos nariai|kryesia|bordi drejtues|zuzendaritza|junta de govern|yönetim kurulu üyeleri|kurul üyeleri|
bestuur en directie|raad van commissarissen|kerkenraad|
college van bestuur|giunta esecutiva|collegio dei revisori|
conseil syndical|conseil de surveillance|comité de direction|équipe pédagogique|corps enseignant|
役員|役員一覧|取締役|理事|監事|講師|医師紹介|弁護士紹介|委員|評議員|이사회|이사|감사|임원|임원진|운영위원|위원|강사|교수진|변호사
"""


# Firms stand below these as well as persons.
_OPEN_TEXT = """
members|mitglieder|membres|miembros|membros|membri|membrii|leden|członkowie|členové|členovia|tagok|medlemmer|
jäsenet|članovi|üyeler|члены|членове|μέλη|anggota|الأعضاء|اعضا|सदस्य|partners|associates|agents|artists|players|
students|contacts|kontakty|people|professionals|profesionales|profissionais|personal|board|council|bureau|
commission|rada|consejo directivo|conselho|consiglio|direction|direktion|management|leitung|kadra|guides|
speakers|администрация|адміністрація|directive|directiva|leadership|vedení|conducere|ledning|ledelse|johto|yönetim|
руководство|керівництво|διοίκηση|الإدارة|成员|成員|メンバー|委員|팀|구성원|socios|sócios|soci|ortaklar|patrons|brokers
"""


def _phrases(text: str) -> frozenset[str]:
    return frozenset(phrase.strip() for phrase in text.replace("\n", "").split("|") if phrase.strip())


_TEAMS: Final = _phrases(_TEAMS_TEXT)
_GROUPS: Final = _phrases(_GROUPS_TEXT)
GROUP_PHRASES: Final = _TEAMS | _GROUPS
_OPEN: Final = _phrases(_OPEN_TEXT)
# What may stand around the phrase without changing what it says.
_AROUND_TEXT = """
our the meet a of and for to your all current present new list 's my learn about know get more full us at
unser unsere unseres ihr ihre das der die den dem des im am in für mit ein eine wir sind team
notre nos votre l' la le les de du d' des et au aux présentation nuestro nuestra nuestros el los las y
nosso nossa nossos o os as e da do das dos conheça il i gli lo nostro nostra nostri della dei del conosci
ons onze het van en w nasz nasza nasi z i náš naše naši v a az és a mi noastră noștri și vår våra vårt och
i vårt vores våre vårt og meidän ja bizim ve наш наша наши нашия нашите и та μας η ο το οι τα των και του
kami đội ngũ của chúng tôi
من لنا ما של ה के की का हमारे ของเรา ของ
我们的 我們的 の 紹介 一覧 소개 우리 ご紹介 介绍 介紹 简介 成员 のご紹介
"""
_AROUND: Final = frozenset(_AROUND_TEXT.split())
_EDGES = " \t:：.,;–—-•·*|()[]!"
_YEARS = re.compile(r"\(?(?:19|20)\d\d(?: ?[-–/] ?(?:(?:19|20)?\d\d)?)?\)?")
_LONGEST = 70
_MOST_WORDS = 7
_UNSPACED = re.compile("[\u0e00-\u0eff\u2e80-\ud7af]")


class GroupHeading(NamedTuple):
    """A heading of people: the office that it gives them, if any, and whether only persons stand below it."""

    role: str
    is_of_persons: bool


def is_group_phrase(text: str) -> bool:
    """Whether a text is what a whole group is called, such as "Directors" or "Ihr Team"."""
    first, _, rest = text.lower().partition(" ")
    return text.lower() in GROUP_PHRASES or (first in _AROUND and rest in GROUP_PHRASES)


@lru_cache(maxsize=4096)
def read_group(text: str) -> GroupHeading | None:
    """What a heading says of the people below it; None for other headings."""
    if not 2 <= len(text) <= _LONGEST:
        return None
    plain = _YEARS.sub("", text).strip(_EDGES)
    low = plain.lower().replace("’", "'")
    if low in GROUP_PHRASES:
        return GroupHeading(plain if low in _GROUPS else "", low not in _OPEN)
    if _UNSPACED.search(low):
        return _read_unspaced(plain, low)
    words = [word.strip(_EDGES) for word in low.split()]
    if len(words) > _MOST_WORDS:
        return None
    return _read_words(plain, words) or _read_plural(plain, words)


def _read_plural(plain: str, words: list[str]) -> GroupHeading | None:
    """The profession that a heading names in the plural, such as "Our Practitioners"."""
    others = [word for word in words[:-1] if word not in _AROUND]
    if len(others) > 1 or not is_plural_role(words[-1]):
        return None
    first = next(place for place, word in enumerate(words) if word not in _AROUND)
    return GroupHeading(" ".join(plain.split()[first:]), words[-1].endswith("innen"))


def _read_words(plain: str, words: list[str]) -> GroupHeading | None:
    """The longest phrase for people in a heading, if the words around it leave it one."""
    for size in range(len(words), 0, -1):
        for first in range(len(words) - size + 1):
            phrase = " ".join(words[first : first + size])
            if phrase not in GROUP_PHRASES:
                continue
            before, after = words[:first], words[first + size :]
            others = [word for word in (*before, *after) if word and word not in _AROUND]
            if len(others) > 2 or not GIVEN_NAMES.isdisjoint(map(fold_name, others)):
                return None
            if phrase in _TEAMS:
                return GroupHeading("", phrase not in _OPEN)
            kept = plain.split()[first:] if _AROUND.issuperset(before) else [plain]
            return GroupHeading(" ".join(kept), phrase not in _OPEN)
    return None


def _read_unspaced(plain: str, low: str) -> GroupHeading | None:
    phrase_found = next((phrase for phrase in _UNSPACED_PHRASES if phrase in low), None)
    if phrase_found is None or len(low) > len(phrase_found) + 8:
        return None
    return GroupHeading(plain if phrase_found in _GROUPS else "", phrase_found not in _OPEN)


_UNSPACED_PHRASES: Final = sorted(filter(_UNSPACED.search, GROUP_PHRASES), key=len, reverse=True)
