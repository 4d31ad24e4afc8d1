"""Names in scripts without capitals: their shape, and common names and roles that confirm them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from scrapersky.extract.people.east_asian_names import CHINESE_FAMILIES, JAPANESE_FAMILIES, KOREAN_FAMILIES

# Letters and vowel signs of the scripts without capitals whose names are written in words.
_SPACED = (
    "\u0590-\u05ff\u0600-\u06ff\u0750-\u077f\u0900-\u0d7f\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u10d0-\u10ff"
    "\u1200-\u139f\u1780-\u17ff\ufb1d-\ufdff\ufe70-\ufefc"
)
_WORD: Final = rf"[{_SPACED}'’\"״׳.\u200c\u200d-]"
_SPACED_NAME = re.compile(rf"{_WORD}{{2,18}}(?: {_WORD}{{1,18}}){{1,4}}")
_HAN_NAME = re.compile(
    r"[\u4e00-\u9fff々]{1,4}[ \u3000]?[\u4e00-\u9fff々\u3041-\u30ff]{1,4}|"
    r"[\u4e00-\u9fff]{1,2}[ \u3000][\u3041-\u30ff]{1,5}"
)
_KANA_NAME = re.compile(r"[\u30a1-\u30fc]{2,8}[ \u3000・][\u30a1-\u30fc]{2,8}")
_HANGUL_NAME = re.compile(r"[\uac00-\ud7a3]{1,2} ?[\uac00-\ud7a3]{1,3}")
_READING = re.compile(r"\s*[(（][^()（）]{2,30}[)）]\s*$")
_FIRST_CASELESS = "\u0590"
_LONGEST = 40

# Forms of address and titles before a name.
_TITLES_TEXT = """
السيد السيدة الأستاذ الأستاذة أستاذ د دكتور الدكتور الدكتورة دكتورة م المهندس المهندسة مهندس الشيخ آقای
خانم دکتر مهندس ד"ר דר פרופ פרופ' עו"ד מר גב' גברת הרב श्री श्रीमती सुश्री डॉ डा डॉक्टर प्रो कुमारी นาย นาง
นางสาว ดร ผศ รศ ศ คุณ นพ พญ ডা ড জনাব திரு திருமதி
"""
_TITLES: Final = frozenset(_TITLES_TEXT.split())
_ATTACHED_TITLES: Final = ("นางสาว", "นาย", "นาง", "คุณ")

_NAMES_TEXT = """
محمد أحمد احمد علي حسن حسين عمر عثمان خالد عبدالله عبد الله عبدالرحمن الرحمن عبدالعزيز العزيز إبراهيم ابراهيم
يوسف محمود مصطفى سعيد سعد سالم سلطان فهد فيصل ناصر ماجد طارق كريم سامي سمير وليد هاني رامي زياد بلال حمزة
ياسر ياسين عادل جمال كمال نبيل رضا صالح سليمان موسى عيسى هشام أيمن أنس باسم تامر تركي بندر مشعل عمار عماد
فاطمة عائشة مريم خديجة زينب سارة نورة نور هند ليلى أمل منى هدى سلمى ريم رنا دينا هبة إيمان أسماء آمنة سعاد
نادية سميرة لمى لينا غادة حنان مها عبير وفاء رهف جواهر حمد راشد مبارك سيف منصور
رضا مهدی حسین امیر سعید مجید حمید مسعود بهرام داریوش کاوه فرهاد بابک آرش پویا نیما سینا مریم زهرا فاطمه
نرگس شیرین پریسا نازنین لیلا مهسا سمیرا الهام سحر
משה דוד יוסף אברהם יצחק יעקב דניאל מיכאל אבי אבנר איתן אלון אמיר אריאל ארז אורי אייל גיא גיל דן דורון
חיים טל יאיר יובל יונתן יניב ליאור מאיר נדב ניר נועם עידו עמית עומר עופר ערן צבי רון רועי רונן שי שלמה שמעון
תומר יואב בועז גדעון אהרון שרה רחל לאה רבקה מרים חנה אסתר רות נעמי תמר יעל מיכל נועה שירה הילה ענת אורית
דנה גלית איריס ליאת לימור מאיה מורן נטע סיגל עדי ענבל קרן רונית שרון שני אפרת אילנה ורד טלי כהן לוי
राम श्याम मोहन सोहन राजेश रमेश सुरेश महेश दिनेश मुकेश राकेश अमित अनिल सुनील संजय विजय अजय रवि मनोज अशोक
प्रदीप संदीप विनोद प्रकाश राहुल रोहित विकास विवेक नितिन गणेश कृष्ण हरि गोपाल शंकर शिव अर्जुन दीपक सीता गीता
सुनीता अनीता कविता रेखा पूजा प्रिया नेहा अंजलि आशा उषा लता माया मीना राधा सरिता कुमार कुमारी सिंह शर्मा वर्मा
गुप्ता यादव मिश्रा पाण्डेय पांडेय तिवारी पटेल जोशी श्रेष्ठ थापा गुरुङ तामाङ खत्री अधिकारी भट्टराई कार्की राई
देवी लाल बहादुर प्रसाद नाथ चौधरी अग्रवाल खान अली मोहम्मद
สมชาย สมศักดิ์ สมหญิง สมพร สมบูรณ์ วิชัย ประเสริฐ สุรชัย อนันต์ ณัฐพล ณัฐวุฒิ กิตติ ธนากร ศิริพร สุภาพร
วรรณา นภา กัญญา พิมพ์ชนก สุดารัตน์ อรุณ ปิยะ มานะ มานี วีระ ชัยวัฒน์ พรทิพย์ รัตนา จันทร์เพ็ญ
মোহাম্মদ মোঃ আব্দুল আহমেদ হোসেন রহমান ইসলাম আলী খান বেগম খাতুন আক্তার উদ্দিন হাসান করিম দাস রায় সরকার
முருகன் குமார் ராஜா செல்வம் கார்த்திக் லட்சுமி மீனா ராமன் சுரேஷ் ரமேஷ்
გიორგი დავით ნიკოლოზ ლევან ირაკლი ალექსანდრე ზურაბ თამარ ნინო მარიამ ანა ეკა ნათია მაია ქეთევან
"""
_NAMES: Final = frozenset(_NAMES_TEXT.split())
_FAMILY_ENDINGS: Final = ("შვილი", "ძე", "იანი", "ური", "ელი")

# Words for what people do; one of them anywhere in a short line makes it a role.
_ROLES_TEXT = """
مدير مديرة المدير المديرة رئيس رئيسة الرئيس نائب مهندس مهندسة محاسب محاسبة سكرتير سكرتيرة مستشار
مستشارة محام محامي محامية المحامي طبيب طبيبة أخصائي اخصائي أخصائية استشاري مؤسس المؤسس مؤسسة شريك
الشريك مشرف مشرفة منسق منسقة مسؤول مسؤولة عضو أمين مدرب مدربة مدرس مدرسة معلم معلمة أستاذ مصمم مصممة
مطور مبرمج موظف مندوب مدیر مدیرعامل حسابدار منشی مربی کارشناس معاون رییس رئيس وکیل پزشک مشاور سرپرست
مسئول دبیر بنیانگذار מנכ"ל מנכ״ל מנכלית מנכ"לית סמנכ"ל מנהל מנהלת יו"ר יושב מייסד מייסדת שותף שותפה
מהנדס מהנדסת מזכיר מזכירה רכז רכזת אחראי אחראית נשיא גזבר יועץ יועצת רופא רופאה אדריכל אדריכלית מאמן
מאמנת מורה מעצב מעצבת מפתח חשבון עורך עורכת פסיכולוג פסיכולוגית מטפל מטפלת מנחה निदेशक निदेशिका
प्रबंधक प्रबन्धक अध्यक्ष उपाध्यक्ष सचिव महासचिव कोषाध्यक्ष संस्थापक अधिकारी प्रमुख सदस्य शिक्षक
शिक्षिका प्रधानाचार्य प्राचार्य प्राध्यापक अभियंता इंजीनियर सलाहकार समन्वयक मैनेजर लेखाकार लेखापाल
चिकित्सक वकील अधिवक्ता सहायक पर्यवेक्षक संयोजक निर्देशक कर्मचारी प्रशिक्षक ผู้จัดการ กรรมการ ประธาน
ผู้อำนวยการ หัวหน้า เจ้าหน้าที่ วิศวกร แพทย์ ทนายความ เลขานุการ ผู้ก่อตั้ง ที่ปรึกษา นักบัญชี
อาจารย์ ครู เหรัญญิก เจ้าของ พนักงาน ผู้ช่วย สถาปนิก นักออกแบบ ผู้ฝึกสอน পরিচালক ব্যবস্থাপক সভাপতি
সম্পাদক কোষাধ্যক্ষ সদস্য প্রতিষ্ঠাতা কর্মকর্তা শিক্ষক প্রকৌশলী হিসাবরক্ষক চেয়ারম্যান সচিব অধ্যক্ষ
চিকিৎসক இயக்குனர் இயக்குநர் மேலாளர் தலைவர் செயலாளர் பொருளாளர் பொறியாளர் ஆசிரியர் கணக்காளர் நிறுவனர்
உறுப்பினர் მდირექტორი დირექტორი მენეჯერი ბუღალტერი ინჟინერი მდივანი მწვრთნელი თავმჯდომარე
დამფუძნებელი ექიმი იურისტი 经理 总监 總監 總經理 主任 主管 董事 教授 医生 醫師 醫生 律师 律師 工程师
工程師 顾问 顧問 创始人 創辦人 秘书 秘書 会计 會計 助理 院长 院長 所长 所長 校长 校長 主席 会长 會長
理事 专员 專員 设计师 設計師 老师 老師 合伙人 负责人 負責人 部长 部長 科长 店长 店長 教练 教練 总裁
總裁 书记 代表 取締役 社長 役員 監査役 課長 係長 担当 講師 医師 弁護士 税理士 行政書士 司法書士
社労士 会計士 建築士 看護師 薬剤師 歯科 美容師 整体師 鍼灸師 保育士 園長 監督 スタッフ マネージャー
デザイナー エンジニア ディレクター プロデューサー トレーナー インストラクター コンサルタント
アドバイザー 대표 이사 원장 부장 과장 팀장 사장 실장 차장 대리 교수 변호사 의사 회계사 엔지니어
디자이너 매니저 소장 센터장 회장 총무 간사 위원 국장 본부장 주임 사원 연구원 강사 코치 세무사 법무사
노무사 약사 간호사 목사 전도사 장로 담당
"""
_ROLES: Final = tuple(dict.fromkeys(_ROLES_TEXT.split()))

# What pages say in the places of names: services, parts of the page, greetings.
_NO_NAMES = re.compile(
    "خدم|اتصل|تواصل|رؤيت|رسالت|معلومات|شرك|مؤسسة|منتج|تصميم|أعمال|مشاريع|الرئيسية|من نحن|فريق|ساعات|"
    "عنوان|هاتف|اخبار|أخبار|مركز|جامعة|شارع|مدينة|مكتب|تطوير|دعم|خدمات|تماس|درباره|محصول|صفحه|شرکت|"
    "צור קשר|אודות|שירות|מוצר|דף|בית ה|פרויקט|חברה|כתובת|טלפון|שעות|צוות|רחוב|מרכז|בניית|עיצוב|ייעוץ|"
    "सेवा|संपर्क|सम्पर्क|हमारे|हमारा|हमारी|परिचय|उत्पाद|समाचार|केंद्र|कार्यालय|पता|फोन|कंपनी|विद्यालय|मंदिर|योजना|"
    "บริการ|ติดต่อ|เกี่ยวกับ|ผลิตภัณฑ์|สินค้า|บริษัท|ข่าว|หน้าแรก|ที่อยู่|โทร|เรา|โครงการ|ศูนย์|ออกแบบ|"
    "যোগাযোগ|সেবা|আমাদের|পণ্য|সংবাদ|தொடர்பு|சேவை|எங்கள்|"
    "კონტაქტ|მომსახურება|შესახებ|პროდუქ|ჩვენ|"
    "会社|公司|服务|服務|产品|產品|联系|聯絡|我们|我們|关于|關於|首页|首頁|新闻|新聞|案例|方案|中心|大学|大學|医院|學校|学校|"
    "お問|案内|紹介|情報|一覧|採用|概要|事業|商品|料金|予約|店舗|設計|施工|工事|製品|技術|経営|理念|沿革|品質|安全|環境|"
    "[部课課室科组組处處局队隊]$|서비스|제품|문의|회사|안내|소개|공지|뉴스|예약|센터|상담|진료|고객|사업|오시는|갤러리"
)


def is_caseless(text: str) -> bool:
    """Whether the text begins with a letter of a script without capitals."""
    return text[:1] >= _FIRST_CASELESS


@lru_cache(maxsize=4096)
def read_caseless_name(text: str) -> tuple[str, bool] | None:
    """The name that a short text in such a script has the shape of, and whether a common name confirms it."""
    text = _READING.sub("", text).strip()
    if not 2 <= len(text) <= _LONGEST or _NO_NAMES.search(text):
        return None
    if _HANGUL_NAME.fullmatch(text):
        return (text, True) if text[0] in KOREAN_FAMILIES and not has_caseless_role(text) else None
    if _HAN_NAME.fullmatch(text):
        return None if has_caseless_role(text) else _read_han(text)
    if _KANA_NAME.fullmatch(text):
        return text, False
    return _read_spaced(text)


def _read_han(text: str) -> tuple[str, bool] | None:
    name = " ".join(text.split())
    family, blank, first = name.partition(" ")
    if blank:
        is_common = family in JAPANESE_FAMILIES or family in CHINESE_FAMILIES
        return (name, is_common) if first and len(name) <= 8 else None
    if len(name) >= 3 and any(name[:size] in JAPANESE_FAMILIES for size in (3, 2)):
        return name, True
    if name[0] in CHINESE_FAMILIES and 2 <= len(name) <= 4:
        return name, len(name) <= 3
    return (name, False) if 3 <= len(name) <= 5 else None


def _read_spaced(text: str) -> tuple[str, bool] | None:
    if not _SPACED_NAME.fullmatch(text) or has_caseless_role(text):
        return None
    words, titled = text.split(), False
    while words and words[0].rstrip(".׳'") in _TITLES:
        words, titled = words[1:], True
    if words and words[0].startswith(_ATTACHED_TITLES) and len(words[0]) > 4:
        prefix = next(title for title in _ATTACHED_TITLES if words[0].startswith(title))
        words, titled = [words[0].removeprefix(prefix), *words[1:]], True
    if not 2 <= len(words) <= 5:
        return None
    is_known = titled or any(word in _NAMES or word.endswith(_FAMILY_ENDINGS) for word in words)
    return " ".join(words), is_known


@lru_cache(maxsize=4096)
def has_caseless_role(text: str) -> bool:
    """Whether a short text in such a script holds a word for what somebody does."""
    if not text[:1] >= _FIRST_CASELESS or len(text) > 60:
        return False
    if text[0] >= "\u2e80" or "\u0e00" <= text[0] <= "\u0eff":
        return any(map(text.__contains__, _UNSPACED_ROLES))
    return not _SPACED_ROLES.isdisjoint(text.replace("،", " ").replace(",", " ").split())


_UNSPACED_ROLES: Final = tuple(
    role for role in _ROLES if role[0] >= "\u2e80" or "\u0e00" <= role[0] <= "\u0eff"
)
_SPACED_ROLES: Final = frozenset(_ROLES) - frozenset(_UNSPACED_ROLES)
