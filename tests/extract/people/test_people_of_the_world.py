"""People of many countries in lists, columns, labels, cards and sentences, with the role beside each name."""

from __future__ import annotations

import pytest

from scrapersky.extract.page import read_page
from scrapersky.extract.results import Hints

PAGES = [
    pytest.param(
        ("<h3>Comité directeur</h3><p>Maëlle Quéré, Gaëtan Le Bihan, Soizic Kerdoncuf et Yann Prigent</p>"),
        {
            "Gaëtan Le Bihan": "Comité directeur",
            "Maëlle Quéré": "Comité directeur",
            "Soizic Kerdoncuf": "Comité directeur",
            "Yann Prigent": "Comité directeur",
        },
        id="line",
    ),
    pytest.param(
        (
            "<table><tr><td>Beisitzer</td><td>Torben Ahlers, Wiebke Dirks, Okko "
            "Janssen</td></tr><tr><td>Kassenwart</td><td>Enno Folkerts</td></tr></table>"
        ),
        {
            "Enno Folkerts": "Kassenwart",
            "Okko Janssen": "Beisitzer",
            "Torben Ahlers": "Beisitzer",
            "Wiebke Dirks": "Beisitzer",
        },
        id="line",
    ),
    pytest.param(
        ("<p><strong>Ledamöter:</strong> Sixten Wallgren, Tove Bäckman, Hjördis Norling</p>"),
        {
            "Hjördis Norling": "Ledamöter",
            "Sixten Wallgren": "Ledamöter",
            "Tove Bäckman": "Ledamöter",
        },
        id="line",
    ),
    pytest.param(
        (
            "<p>Committee: Alfred Penhaligon (Chair), Morwenna Tregear (Treasurer), Jago "
            "Rosewarne (Secretary)</p>"
        ),
        {
            "Alfred Penhaligon": "Chair",
            "Jago Rosewarne": "Secretary",
            "Morwenna Tregear": "Treasurer",
        },
        id="line",
    ),
    pytest.param(
        (
            "<p>Il Consiglio Direttivo è composto da: Fulvio Tassinari (Presidente), "
            "Ombretta Zanella (Vicepresidente), Loris Guidi (Segretario).</p>"
        ),
        {
            "Fulvio Tassinari": "Presidente",
            "Loris Guidi": "Segretario",
            "Ombretta Zanella": "Vicepresidente",
        },
        id="line",
    ),
    pytest.param(
        (
            "<h4>Zarząd</h4><p>Prezes - Bożydar Kulesza<br>Skarbnik - Wioletta "
            "Pawlak<br>Sekretarz - Ziemowit Duda</p>"
        ),
        {
            "Bożydar Kulesza": "Prezes",
            "Wioletta Pawlak": "Skarbnik",
            "Ziemowit Duda": "Sekretarz",
        },
        id="line",
    ),
    pytest.param(
        ("<h3>Board members</h3><p>Ngozi Okwuosa • Femi Adeleke • Tunde Bankole • Sola Akindele</p>"),
        {
            "Femi Adeleke": "Board members",
            "Ngozi Okwuosa": "Board members",
            "Sola Akindele": "Board members",
            "Tunde Bankole": "Board members",
        },
        id="line",
    ),
    pytest.param(
        ("<p>役員：田所 健一、早乙女 美咲、五十嵐 誠</p>"),
        {
            "五十嵐 誠": "役員",
            "早乙女 美咲": "役員",
            "田所 健一": "役員",
        },
        id="line",
    ),
    pytest.param(
        (
            "<p>Bestuur: Klaas Hofstra (voorzitter), Sietske Bouma (secretaris), Durk "
            "Veenstra (penningmeester)</p>"
        ),
        {
            "Durk Veenstra": "penningmeester",
            "Klaas Hofstra": "voorzitter",
            "Sietske Bouma": "secretaris",
        },
        id="line",
    ),
    pytest.param(
        (
            "<table><tr><th>Funktion</th><th>Name</th></tr><tr><td>Gerätewart</td><td>Hauke "
            "Petersen</td></tr><tr><td>Pressewart</td><td>Gesche "
            "Thomsen</td></tr><tr><td>Platzwart</td><td>Ubbo Meents</td></tr></table>"
        ),
        {
            "Gesche Thomsen": "Pressewart",
            "Hauke Petersen": "Gerätewart",
            "Ubbo Meents": "Platzwart",
        },
        id="rolebefore",
    ),
    pytest.param(
        (
            "<h4>Klubbmästare</h4><p>Assar Lindqvist</p><h4>Banchef</h4><p>Berit "
            "Öhman</p><h4>Kassör</h4><p>Gösta Hallin</p>"
        ),
        {
            "Assar Lindqvist": "Klubbmästare",
            "Berit Öhman": "Banchef",
            "Gösta Hallin": "Kassör",
        },
        id="rolebefore",
    ),
    pytest.param(
        (
            "<p>Starosta: Bc. Vlastimil Kopřiva<br>Místostarosta: Hedvika "
            "Zemanová<br>Účetní: Blažena Říhová</p>"
        ),
        {
            "Blažena Říhová": "Účetní",
            "Hedvika Zemanová": "Místostarosta",
            "Vlastimil Kopřiva": "Starosta",
        },
        id="rolebefore",
    ),
    pytest.param(
        ("<h2>Εταιρεία</h2><p>Πρόεδρος: Αριστείδης Μπακογιώργος</p><p>Ταμίας: Καλλιρρόη Τσουκαλά</p>"),
        {
            "Αριστείδης Μπακογιώργος": "Πρόεδρος",
            "Καλλιρρόη Τσουκαλά": "Ταμίας",
        },
        id="rolebefore",
    ),
    pytest.param(
        ("<h3>Trustees</h3><ul><li>Ottilie Fanshawe</li><li>Peregrine Locke</li><li>Dorcas Whitby</li></ul>"),
        {
            "Dorcas Whitby": "Trustees",
            "Ottilie Fanshawe": "Trustees",
            "Peregrine Locke": "Trustees",
        },
        id="group",
    ),
    pytest.param(
        ("<h3>Ledamöter</h3><ul><li>Knut Bergvall</li><li>Majken Strid</li><li>Ragnar Ljung</li></ul>"),
        {
            "Knut Bergvall": "Ledamöter",
            "Majken Strid": "Ledamöter",
            "Ragnar Ljung": "Ledamöter",
        },
        id="group",
    ),
    pytest.param(
        ("<h3>Vorstand</h3><ul><li>Hinrich Böckmann</li><li>Trientje Saathoff</li><li>Fokko Buss</li></ul>"),
        {
            "Fokko Buss": "Vorstand",
            "Hinrich Böckmann": "Vorstand",
            "Trientje Saathoff": "Vorstand",
        },
        id="group",
    ),
    pytest.param(
        (
            "<h3>Raad van bestuur</h3><ul><li>Gijsbert van Rooij</li><li>Marijke "
            "Terpstra</li><li>Bauke Hoekstra</li></ul>"
        ),
        {
            "Bauke Hoekstra": "Raad van bestuur",
            "Gijsbert van Rooij": "Raad van bestuur",
            "Marijke Terpstra": "Raad van bestuur",
        },
        id="group",
    ),
    pytest.param(
        (
            "<h3>Comitato direttivo</h3><ul><li>Ubaldo Ferri</li><li>Nives "
            "Bressan</li><li>Elio Cattaneo</li></ul>"
        ),
        {
            "Elio Cattaneo": "Comitato direttivo",
            "Nives Bressan": "Comitato direttivo",
            "Ubaldo Ferri": "Comitato direttivo",
        },
        id="group",
    ),
    pytest.param(
        (
            "<h3>Zastupitelstvo</h3><ul><li>Bořivoj Kučera</li><li>Ludmila "
            "Šťastná</li><li>Otakar Bláha</li></ul>"
        ),
        {
            "Bořivoj Kučera": "Zastupitelstvo",
            "Ludmila Šťastná": "Zastupitelstvo",
            "Otakar Bláha": "Zastupitelstvo",
        },
        id="group",
    ),
    pytest.param(
        ("<h3>Hallitus</h3><ul><li>Urho Karvinen</li><li>Saimi Pesonen</li><li>Eino Hiltunen</li></ul>"),
        {
            "Eino Hiltunen": "Hallitus",
            "Saimi Pesonen": "Hallitus",
            "Urho Karvinen": "Hallitus",
        },
        id="group",
    ),
    pytest.param(
        ("<h3>Választmány</h3><ul><li>Bodrogi Csongor</li><li>Vadász Piroska</li><li>Halmos Endre</li></ul>"),
        {
            "Bodrogi Csongor": "Választmány",
            "Halmos Endre": "Választmány",
            "Vadász Piroska": "Választmány",
        },
        id="group",
    ),
    pytest.param(
        (
            "<h3>Mesa directiva</h3><ul><li>Nicanor Rivas</li><li>Edelmira "
            "Pozo</li><li>Wilfrido Luna</li></ul>"
        ),
        {
            "Edelmira Pozo": "Mesa directiva",
            "Nicanor Rivas": "Mesa directiva",
            "Wilfrido Luna": "Mesa directiva",
        },
        id="group",
    ),
    pytest.param(
        (
            "<h3>Diretoria executiva</h3><ul><li>Ubiratan Prado</li><li>Iracema "
            "Rocha</li><li>Jandira Melo</li></ul>"
        ),
        {
            "Iracema Rocha": "Diretoria executiva",
            "Jandira Melo": "Diretoria executiva",
            "Ubiratan Prado": "Diretoria executiva",
        },
        id="group",
    ),
    pytest.param(
        ("<h3>Управа</h3><ul><li>Недељко Вукић</li><li>Смиљана Томић</li><li>Раденко Јовић</li></ul>"),
        {
            "Недељко Вукић": "Управа",
            "Раденко Јовић": "Управа",
            "Смиљана Томић": "Управа",
        },
        id="group",
    ),
    pytest.param(
        (
            "<h3>Ban điều hành</h3><ul><li>Nguyễn Thanh Tùng</li><li>Trần Thị Mai</li><li>Lê "
            "Hoàng Nam</li></ul>"
        ),
        {
            "Lê Hoàng Nam": "Ban điều hành",
            "Nguyễn Thanh Tùng": "Ban điều hành",
            "Trần Thị Mai": "Ban điều hành",
        },
        id="group",
    ),
    pytest.param(
        (
            "<h3>Yönetim Kurulu Üyeleri</h3><ul><li>Selçuk Ergün</li><li>Nurgül "
            "Aktaş</li><li>Turgut Özal Şen</li></ul>"
        ),
        {
            "Nurgül Aktaş": "Yönetim Kurulu Üyeleri",
            "Selçuk Ergün": "Yönetim Kurulu Üyeleri",
            "Turgut Özal Şen": "Yönetim Kurulu Üyeleri",
        },
        id="group",
    ),
    pytest.param(
        (
            "<h2>Meet the crew</h2><div class=p><h4>Tamsin Oakeshott</h4><span>Kiln & glaze "
            "wizardry</span></div><div class=p><h4>Rufus Delacroix</h4><span>Front of "
            "house</span></div><div class=p><h4>Ines "
            "Carvalho</h4><span>Happiness</span></div>"
        ),
        {
            "Ines Carvalho": "Happiness",
            "Rufus Delacroix": "Front of house",
            "Tamsin Oakeshott": "Kiln & glaze wizardry",
        },
        id="unknownrole",
    ),
    pytest.param(
        (
            "<h2>Starfsfólk</h2><div class=p><h4>Þórdís "
            "Hallgrímsdóttir</h4><span>Skrifstofustjóri</span></div><div "
            "class=p><h4>Sæmundur Egilsson</h4><span>Bílstjóri</span></div><div "
            "class=p><h4>Ragnheiður Óladóttir</h4><span>Þjónusta</span></div>"
        ),
        {
            "Ragnheiður Óladóttir": "Þjónusta",
            "Sæmundur Egilsson": "Bílstjóri",
            "Þórdís Hallgrímsdóttir": "Skrifstofustjóri",
        },
        id="unknownrole",
    ),
    pytest.param(
        (
            "<h2>Ons team</h2><div class=p><h4>Femke Postma</h4><span>Planning en "
            "inkoop</span></div><div class=p><h4>Sjoerd "
            "Wiersma</h4><span>Werkvoorbereiding</span></div><div class=p><h4>Tjitske "
            "Kooistra</h4><span>Administratie</span></div>"
        ),
        {
            "Femke Postma": "Planning en inkoop",
            "Sjoerd Wiersma": "Werkvoorbereiding",
            "Tjitske Kooistra": "Administratie",
        },
        id="unknownrole",
    ),
    pytest.param(
        (
            "<h2>Timu yetu</h2><div class=p><h4>Juma "
            "Mwakalinga</h4><span>Mkurugenzi</span></div><div class=p><h4>Neema "
            "Kileo</h4><span>Mhasibu</span></div><div class=p><h4>Baraka "
            "Mushi</h4><span>Fundi mkuu</span></div>"
        ),
        {
            "Baraka Mushi": "Fundi mkuu",
            "Juma Mwakalinga": "Mkurugenzi",
            "Neema Kileo": "Mhasibu",
        },
        id="unknownrole",
    ),
    pytest.param(
        (
            "<h2>Contact persons</h2><table><tr><td>Siobhán Ní Dhomhnaill</td><td>Taithí & "
            "bainistíocht</td><td>siobhan@x.example</td></tr><tr><td>Pádraig Ó "
            "Cuinn</td><td>Díolachán</td><td>padraig@x.example</td></tr></table>"
        ),
        {
            "Pádraig Ó Cuinn": "Díolachán",
            "Siobhán Ní Dhomhnaill": "Taithí & bainistíocht",
        },
        id="unknownrole",
    ),
    pytest.param(
        (
            "<h2>Faculty</h2><ul><li>R. K. Narasimhan - Professor</li><li>S. V. "
            "Lakshminarayanan - Reader</li><li>Dr. T. N. Srikanth - Lecturer</li></ul>"
        ),
        {
            "R. K. Narasimhan": "Professor",
            "S. V. Lakshminarayanan": "Reader",
            "T. N. Srikanth": "Lecturer",
        },
        id="initials",
    ),
    pytest.param(
        (
            "<h3>Officers</h3><p>President: J.D. McAllister<br>Secretary: W. F. "
            "Brannigan<br>Treasurer: K.L. Oduya</p>"
        ),
        {
            "J.d. McAllister": "President",
            "K.l. Oduya": "Treasurer",
            "W. F. Brannigan": "Secretary",
        },
        id="initials",
    ),
    pytest.param(
        ("<p>Директор школы: Кузьменко А. П.</p><p>Бухгалтер: Е.Н. Савельева</p>"),
        {
            "Е.н. Савельева": "Бухгалтер",
            "Кузьменко А. П": "Директор школы",
        },
        id="initials",
    ),
    pytest.param(
        (
            '<h2>فريق العمل</h2><div class="card"><h3>د. نزار القباني</h3><p>المدير '
            'العام</p></div><div class="card"><h3>هيفاء الزعبي</h3><p>خدمة '
            'الزبائن</p></div><div class="card"><h3>بسام أبو غزالة</h3><p>مهندس '
            "المواقع</p></div>"
        ),
        {
            "بسام أبو غزالة": "مهندس المواقع",
            "نزار القباني": "المدير العام",
            "هيفاء الزعبي": "خدمة الزبائن",
        },
        id="script-ar",
    ),
    pytest.param(
        (
            "<table><tr><td>د. نزار القباني</td><td>المدير العام</td></tr><tr><td>هيفاء "
            "الزعبي</td><td>خدمة الزبائن</td></tr><tr><td>بسام أبو غزالة</td><td>مهندس "
            "المواقع</td></tr></table>"
        ),
        {
            "بسام أبو غزالة": "مهندس المواقع",
            "نزار القباني": "المدير العام",
            "هيفاء الزعبي": "خدمة الزبائن",
        },
        id="script-ar",
    ),
    pytest.param(
        (
            '<h2>スタッフ</h2><div class="card"><h3>長谷川 拓也</h3><p>店長</p></div><div '
            'class="card"><h3>小野寺 結衣</h3><p>受付</p></div><div '
            'class="card"><h3>三浦ひかり</h3><p>美容師</p></div>'
        ),
        {
            "三浦ひかり": "美容師",
            "小野寺 結衣": "受付",
            "長谷川 拓也": "店長",
        },
        id="script-ja",
    ),
    pytest.param(
        (
            '<h2>管理团队</h2><div class="card"><h3>欧阳建华</h3><p>董事长</p></div><div '
            'class="card"><h3>司马晓雯</h3><p>财务总监</p></div><div '
            'class="card"><h3>郝志强</h3><p>市场部经理</p></div>'
        ),
        {
            "司马晓雯": "财务总监",
            "欧阳建华": "董事长",
            "郝志强": "市场部经理",
        },
        id="script-zh",
    ),
    pytest.param(
        (
            "<table><tr><td>欧阳建华</td><td>董事长</td></tr><tr><td>司马晓雯</td><td>财务总监</td></tr><tr>"
            "<td>郝志强</td><td>市场部经理</td></tr></table>"
        ),
        {
            "司马晓雯": "财务总监",
            "欧阳建华": "董事长",
            "郝志强": "市场部经理",
        },
        id="script-zh",
    ),
    pytest.param(
        (
            '<h2>צוות המשרד</h2><div class="card"><h3>עו"ד אביגיל '
            'שטרן</h3><p>שותפה</p></div><div class="card"><h3>רועי '
            'בן-דוד</h3><p>מתמחה</p></div><div class="card"><h3>תמר '
            "אלקיים</h3><p>מזכירה</p></div>"
        ),
        {
            "אביגיל שטרן": "שותפה",
            "רועי בן-דוד": "מתמחה",
            "תמר אלקיים": "מזכירה",
        },
        id="script-he",
    ),
    pytest.param(
        (
            '<table><tr><td>עו"ד אביגיל שטרן</td><td>שותפה</td></tr><tr><td>רועי '
            "בן-דוד</td><td>מתמחה</td></tr><tr><td>תמר "
            "אלקיים</td><td>מזכירה</td></tr></table>"
        ),
        {
            "אביגיל שטרן": "שותפה",
            "רועי בן-דוד": "מתמחה",
            "תמר אלקיים": "מזכירה",
        },
        id="script-he",
    ),
    pytest.param(
        (
            '<h2>हमारे शिक्षक</h2><div class="card"><h3>श्रीमती कमला '
            'बिष्ट</h3><p>प्रधानाचार्या</p></div><div class="card"><h3>श्री हरीश '
            'रावत</h3><p>शिक्षक</p></div><div class="card"><h3>दीपा '
            "नेगी</h3><p>लिपिक</p></div>"
        ),
        {
            "कमला बिष्ट": "प्रधानाचार्या",
            "दीपा नेगी": "लिपिक",
            "हरीश रावत": "शिक्षक",
        },
        id="script-hi",
    ),
    pytest.param(
        (
            "<table><tr><td>श्रीमती कमला बिष्ट</td><td>प्रधानाचार्या</td></tr><tr><td>श्री "
            "हरीश रावत</td><td>शिक्षक</td></tr><tr><td>दीपा "
            "नेगी</td><td>लिपिक</td></tr></table>"
        ),
        {
            "कमला बिष्ट": "प्रधानाचार्या",
            "दीपा नेगी": "लिपिक",
            "हरीश रावत": "शिक्षक",
        },
        id="script-hi",
    ),
    pytest.param(
        (
            '<h2>บุคลากร</h2><div class="card"><h3>ดร.สุทธิพงษ์ '
            'แก้วมณี</h3><p>ผู้อำนวยการ</p></div><div class="card"><h3>นางรัชนี '
            'พูลสุข</h3><p>ครู</p></div><div class="card"><h3>นายเอกชัย '
            "บุญมา</h3><p>ธุรการ</p></div>"
        ),
        {
            "ดร.สุทธิพงษ์ แก้วมณี": "ผู้อำนวยการ",
            "รัชนี พูลสุข": "ครู",
            "เอกชัย บุญมา": "ธุรการ",
        },
        id="script-th",
    ),
    pytest.param(
        (
            "<table><tr><td>ดร.สุทธิพงษ์ "
            "แก้วมณี</td><td>ผู้อำนวยการ</td></tr><tr><td>นางรัชนี "
            "พูลสุข</td><td>ครู</td></tr><tr><td>นายเอกชัย "
            "บุญมา</td><td>ธุรการ</td></tr></table>"
        ),
        {
            "ดร.สุทธิพงษ์ แก้วมณี": "ผู้อำนวยการ",
            "รัชนี พูลสุข": "ครู",
            "เอกชัย บุญมา": "ธุรการ",
        },
        id="script-th",
    ),
    pytest.param(
        (
            '<h2>Το προσωπικό</h2><div class="card"><h3>Ζαχαρίας '
            'Πετρόπουλος</h3><p>Τεχνικός</p></div><div class="card"><h3>Μυρτώ '
            'Αναγνώστου</h3><p>Γραμματεία</p></div><div class="card"><h3>Σπυριδούλα '
            "Ντόκου</h3><p>Πωλήσεις</p></div>"
        ),
        {
            "Ζαχαρίας Πετρόπουλος": "Τεχνικός",
            "Μυρτώ Αναγνώστου": "Γραμματεία",
            "Σπυριδούλα Ντόκου": "Πωλήσεις",
        },
        id="script-el",
    ),
    pytest.param(
        (
            '<h2>Специалисты</h2><div class="card"><h3>Дарья '
            'Подгорная</h3><p>Косметолог</p></div><div class="card"><h3>Эмиль '
            'Хайруллин</h3><p>Массажист</p></div><div class="card"><h3>Злата '
            "Веденина</h3><p>Администратор</p></div>"
        ),
        {
            "Дарья Подгорная": "Косметолог",
            "Злата Веденина": "Администратор",
            "Эмиль Хайруллин": "Массажист",
        },
        id="script-ru",
    ),
    pytest.param(
        (
            "<table><tr><td>Дарья Подгорная</td><td>Косметолог</td></tr><tr><td>Эмиль "
            "Хайруллин</td><td>Массажист</td></tr><tr><td>Злата "
            "Веденина</td><td>Администратор</td></tr></table>"
        ),
        {
            "Дарья Подгорная": "Косметолог",
            "Злата Веденина": "Администратор",
            "Эмиль Хайруллин": "Массажист",
        },
        id="script-ru",
    ),
    pytest.param(
        (
            '<h2>Наші фахівці</h2><div class="card"><h3>Орест '
            'Гнатюк</h3><p>Лікар-стоматолог</p></div><div class="card"><h3>Соломія '
            'Дячук</h3><p>Асистентка</p></div><div class="card"><h3>Назар '
            "Пилипенко</h3><p>Ортодонт</p></div>"
        ),
        {
            "Назар Пилипенко": "Ортодонт",
            "Орест Гнатюк": "Лікар-стоматолог",
            "Соломія Дячук": "Асистентка",
        },
        id="script-uk",
    ),
    pytest.param(
        (
            "<table><tr><td>Орест Гнатюк</td><td>Лікар-стоматолог</td></tr><tr><td>Соломія "
            "Дячук</td><td>Асистентка</td></tr><tr><td>Назар "
            "Пилипенко</td><td>Ортодонт</td></tr></table>"
        ),
        {
            "Назар Пилипенко": "Ортодонт",
            "Орест Гнатюк": "Лікар-стоматолог",
            "Соломія Дячук": "Асистентка",
        },
        id="script-uk",
    ),
    pytest.param(
        (
            '<h2>শিক্ষকবৃন্দ</h2><div class="card"><h3>মোঃ আনিসুর রহমান</h3><p>প্রধান '
            'শিক্ষক</p></div><div class="card"><h3>শামীমা নাসরিন</h3><p>সহকারী '
            'শিক্ষক</p></div><div class="card"><h3>বিপুল চন্দ্র দাস</h3><p>অফিস '
            "সহকারী</p></div>"
        ),
        {
            "বিপুল চন্দ্র দাস": "অফিস সহকারী",
            "মোঃ আনিসুর রহমান": "প্রধান শিক্ষক",
            "শামীমা নাসরিন": "সহকারী শিক্ষক",
        },
        id="script-bn",
    ),
    pytest.param(
        (
            "<table><tr><td>মোঃ আনিসুর রহমান</td><td>প্রধান শিক্ষক</td></tr><tr><td>শামীমা "
            "নাসরিন</td><td>সহকারী শিক্ষক</td></tr><tr><td>বিপুল চন্দ্র দাস</td><td>অফিস "
            "সহকারী</td></tr></table>"
        ),
        {
            "বিপুল চন্দ্র দাস": "অফিস সহকারী",
            "মোঃ আনিসুর রহমান": "প্রধান শিক্ষক",
            "শামীমা নাসরিন": "সহকারী শিক্ষক",
        },
        id="script-bn",
    ),
    pytest.param(
        (
            '<h2>გუნდი</h2><div class="card"><h3>ზვიად '
            'კვარაცხელია</h3><p>არქიტექტორი</p></div><div class="card"><h3>ხატია '
            'გელაშვილი</h3><p>დიზაინერი</p></div><div class="card"><h3>ბექა '
            "წერეთელი</h3><p>მენეჯერი</p></div>"
        ),
        {
            "ბექა წერეთელი": "მენეჯერი",
            "ზვიად კვარაცხელია": "არქიტექტორი",
            "ხატია გელაშვილი": "დიზაინერი",
        },
        id="script-ka",
    ),
    pytest.param(
        (
            "<table><tr><td>ზვიად კვარაცხელია</td><td>არქიტექტორი</td></tr><tr><td>ხატია "
            "გელაშვილი</td><td>დიზაინერი</td></tr><tr><td>ბექა "
            "წერეთელი</td><td>მენეჯერი</td></tr></table>"
        ),
        {
            "ბექა წერეთელი": "მენეჯერი",
            "ზვიად კვარაცხელია": "არქიტექტორი",
            "ხატია გელაშვილი": "დიზაინერი",
        },
        id="script-ka",
    ),
    pytest.param(
        (
            '<h2>Թիմը</h2><div class="card"><h3>Արամ Հակոբյան</h3><p>Տնօրեն</p></div><div '
            'class="card"><h3>Լուսինե Գրիգորյան</h3><p>Հաշվապահ</p></div><div '
            'class="card"><h3>Տիգրան Սարգսյան</h3><p>Ծրագրավորող</p></div>'
        ),
        {
            "Արամ Հակոբյան": "Տնօրեն",
            "Լուսինե Գրիգորյան": "Հաշվապահ",
            "Տիգրան Սարգսյան": "Ծրագրավորող",
        },
        id="script-hy",
    ),
    pytest.param(
        (
            '<h2>تیم ما</h2><div class="card"><h3>کیوان رستمی</h3><p>مدیر فروش</p></div><div '
            'class="card"><h3>پریسا یوسفی</h3><p>حسابدار</p></div><div '
            'class="card"><h3>بهنام صادقی</h3><p>کارشناس فنی</p></div>'
        ),
        {
            "بهنام صادقی": "کارشناس فنی",
            "پریسا یوسفی": "حسابدار",
            "کیوان رستمی": "مدیر فروش",
        },
        id="script-fa",
    ),
    pytest.param(
        (
            "<table><tr><td>کیوان رستمی</td><td>مدیر فروش</td></tr><tr><td>پریسا "
            "یوسفی</td><td>حسابدار</td></tr><tr><td>بهنام صادقی</td><td>کارشناس "
            "فنی</td></tr></table>"
        ),
        {
            "بهنام صادقی": "کارشناس فنی",
            "پریسا یوسفی": "حسابدار",
            "کیوان رستمی": "مدیر فروش",
        },
        id="script-fa",
    ),
    pytest.param(
        (
            "<table><tr><td>PRESIDENT</td><td>LORNA "
            "McCRIMMON</td></tr><tr><td>CAPTAIN</td><td>FERGUS "
            "DRUMMOND</td></tr><tr><td>GREENKEEPER</td><td>IAIN STRUTHERS</td></tr></table>"
        ),
        {
            "Fergus Drummond": "CAPTAIN",
            "Iain Struthers": "GREENKEEPER",
            "Lorna McCRIMMON": "PRESIDENT",
        },
        id="caps",
    ),
    pytest.param(
        ("<p>Gérant : BOURGEOIS Thibaut</p><p>Responsable SAV : LENOIR Capucine</p>"),
        {
            "Bourgeois Thibaut": "Gérant",
            "Lenoir Capucine": "Responsable SAV",
        },
        id="caps",
    ),
    pytest.param(
        ("<div>MUDr. JINDŘICH HAVELKA</div><div>praktický lékař</div><div>Sestra: BOHDANA RYŠAVÁ</div>"),
        {
            "Bohdana Ryšavá": "Sestra",
            "Jindřich Havelka": "praktický lékař",
        },
        id="caps",
    ),
    pytest.param(
        ("<p>Kontakt: Przemysław Gołąb, tel. 501 555 019</p>"),
        {
            "Przemysław Gołąb": None,
        },
        id="sentence",
    ),
    pytest.param(
        ("<p>Depuis 2011, le domaine est dirigé par Théophile Garnier, œnologue.</p>"),
        {
            "Théophile Garnier": None,
        },
        id="sentence",
    ),
    pytest.param(
        ("<p>Manager: Tom Butcher</p><p>Chef: Alice Cook</p><p>Owner: Mary Banks</p>"),
        {
            "Alice Cook": "Chef",
            "Mary Banks": "Owner",
            "Tom Butcher": "Manager",
        },
        id="surnames",
    ),
    pytest.param(
        (
            "<table><tr><td>Elżbieta Mróz</td><td>Kierownik biura</td><td>tel. 22 555 01 "
            "23</td></tr><tr><td>Cezary Wilk</td><td>Serwis</td><td>tel. 22 555 01 "
            "24</td></tr></table>"
        ),
        {
            "Cezary Wilk": "Serwis",
            "Elżbieta Mróz": "Kierownik biura",
        },
        id="rows",
    ),
    pytest.param(
        (
            "<p><strong>Aino Vuorela</strong><br>myynti<br>puh. 040 555 "
            "0123<br>aino.vuorela@yritys.example</p><p><strong>Osmo "
            "Kinnunen</strong><br>huolto<br>puh. 040 555 "
            "0124<br>osmo.kinnunen@yritys.example</p>"
        ),
        {
            "Aino Vuorela": "myynti",
            "Osmo Kinnunen": "huolto",
        },
        id="rows",
    ),
    pytest.param(
        (
            "<h2>Who's who</h2><p>Director – Niamh Colgan – niamh@x.example</p><p>Stage "
            "manager – Oisín Teague – oisin@x.example</p>"
        ),
        {
            "Niamh Colgan": "Director",
            "Oisín Teague": "Stage manager",
        },
        id="rows",
    ),
]


@pytest.mark.parametrize(("html", "roles"), PAGES)
def test_everybody_on_the_page_is_found_with_the_role(html: str, roles: dict[str, str | None]) -> None:
    page = f"<html><head><title>x</title></head><body>{html}</body></html>"
    found = read_page(page.encode(), Hints(None, None, "")).people
    assert {person.name: person.role for person in found} == roles
