"""Names after titles in Japanese, Chinese and Korean, which are written without blanks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_TITLES = (
    r"代表取締役(?:社長|会長|専務|副社長)?(?:兼\w{2,6})?|(?:専務|常務)?取締役(?:社長|会長|副社長)?|"
    r"代表(?:社員|理事|弁護士|者|執行役)?|"
    r"執行役員|監査役|"
    r"副?社長|会長|副?店長|副?院長|副?所長|園長|副?理事長|理事|支店長|"
    r"工場長|校長|館長|部長|責任者|担当者?|"
    r"法定代表人|董事长|董事|总经理|副总经理|经理|总裁|负责人|联系人|聯絡人|負責人|"
    r"대표(?:이사|자|원장)?|공동대표|원장|이사장|사장|담당자|책임자"
)
# A title is taken whole: no part of it is a name.
_TITLED = re.compile(
    rf"(?P<role>(?>{_TITLES}))(?P<label>名|氏名|姓名|성명|명)?(?P<joint>[\s\u3000:：／/|\t]*)"
    r"(?P<name>[\u4e00-\u9fff々]{1,4}[ \u3000]?[\u4e00-\u9fff々\u3041-\u30ff]{1,4}|"
    r"[\uac00-\ud7a3]{2,4})(?!\w)"
)
# Words that stand where a name could: other titles, and what pages say of the person or the company.
_NO_NAME = re.compile(
    "取締|社長|会長|代表|役員|理事|部長|課長|店長|院長|所長|園長|校長|館長|専務|常務|監査|主任|係長|担当|責任|医師|教授|弁護士|"
    "税理士|書士|会計士|先生|電話|番号|住所|所在|会社|株式|有限|設立|資本|事業|内容|概要|挨拶|あいさつ|紹介|経歴|略歴|就任|交代|"
    "変更|退任|選任|募集|作品|日記|様|氏|一覧|情報|問|連絡|営業|時間|案内|採用|言葉|想い|思い|から|より|の|について|"
    "公司|电话|電話|地址|手机|邮箱|简介|致辞|致词|介绍|职责|主任|经理|董事|先生|女士|部门|招聘|联系|方式|"
    "이사|원장|대표|사장|부장|과장|팀장|전화|번호|주소|인사|소개|문의|회사|연락|메일|이메일|말씀|약력|프로필|진료|상담|안내|변호사|의사|성명|이름"
)
_JAPANESE_TEXT = """
佐藤 鈴木 高橋 田中 伊藤 渡辺 渡邊 渡邉 山本 中村 小林 加藤 吉田 山田 佐々木 山口 松本 井上 木村 林
斎藤 斉藤 齋藤 清水 山崎 森 池田 橋本 阿部 石川 山下 中島 石井 小川 前田 岡田 長谷川 藤田 後藤 近藤
村上 遠藤 青木 坂本 福田 太田 西村 藤井 金子 岡本 藤原 三浦 中野 中川 原田 松田 竹内 小野 田村 中山
和田 石田 森田 上田 原 内田 柴田 酒井 宮崎 横山 高木 安藤 宮本 大野 小島 工藤 谷口 今井 高田 増田
丸山 杉山 村田 大塚 新井 小山 平野 藤本 河野 上野 野口 武田 松井 千葉 菅原 岩崎 久保 木下 佐野 野村
松尾 市川 菊地 菊池 杉本 古川 大西 島田 水野 桜井 吉川 渡部 高野 山内 西田 飯田 菊田 西川 小松 北村
安田 五十嵐 川口 平田 関 中田 久保田 服部 東 岩田 土屋 川崎 福島 本田 辻 樋口 秋山 永井 田口 中西
川上 吉村 石原 馬場 大橋 松岡 荒木 大久保 野田 浅野 片山 望月 熊谷 本間 矢野 福井 星野 堀 片岡 須藤
石橋 大島 西 岡 永田
"""
_CHINESE_TEXT = """
王 李 张 張 刘 劉 陈 陳 杨 楊 黄 黃 赵 趙 吴 吳 周 徐 孙 孫 马 馬 朱 胡 郭 何 林 罗 羅 高 郑 鄭 梁
谢 謝 宋 唐 许 許 韩 韓 冯 馮 邓 鄧 曹 彭 曾 肖 蕭 田 董 袁 潘 于 蒋 蔣 蔡 余 杜 叶 葉 程 苏 蘇 魏
吕 呂 丁 任 沈 姚 卢 盧 姜 崔 钟 鍾 谭 譚 陆 陸 汪 范 金 石 廖 贾 賈 夏 韦 韋 付 方 白 邹 鄒 孟 熊
秦 邱 江 尹 薛 闫 段 雷 侯 龙 龍 史 陶 黎 贺 賀 顾 顧 毛 郝 龚 龔 邵 万 萬 钱 錢 严 嚴 覃 武 戴 莫
孔 向 汤 湯 簡 游 洪 涂 柯 施 翁 詹 賴 赖 巫 阮 卓 紀 凌 喬 乔 龐 歐 欧 莊 庄 殷 溫 温 祝 齊 齐 童 顏 颜 聶 聂
"""
KOREAN_FAMILIES: Final = frozenset(
    "김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구나민진지엄채원천방공현"
)
# Words begin with these far more often: they need a label before the name.
_RARE_KOREAN_FAMILIES: Final = frozenset("변탁금여추도소석선설마길연위표명기반왕옥인맹제모봉어빈국복")
JAPANESE_FAMILIES, CHINESE_FAMILIES = frozenset(_JAPANESE_TEXT.split()), frozenset(_CHINESE_TEXT.split())
_DEPARTMENT = re.compile(r"[\u4e00-\u9fff]{2,4}|[\uac00-\ud7a3]{2,6}")
_COLONS = (":", "：")
_KANA = re.compile("[\u3041-\u30ff]")


class TitledName(NamedTuple):
    """A name with the title before it, and where the name begins."""

    name: str
    role: str
    start: int


def find_titled_names(text: str) -> Iterator[TitledName]:
    """Every person whose title stands right before the name."""
    for match in _TITLED.finditer(text):
        name = " ".join(match["name"].split())
        if _NO_NAME.search(name) is None and _is_name(
            name, is_labelled=bool(match["label"]) or match["joint"].strip() in _COLONS
        ):
            yield TitledName(name, _whole_role(text, match), match.start("name"))


def _whole_role(text: str, match: re.Match[str]) -> str:
    """The role with the department before it, where both begin the line: "销售经理"."""
    before = text[: match.start("role")]
    return before + match["role"] if _DEPARTMENT.fullmatch(before) else match["role"]


def _is_name(name: str, *, is_labelled: bool) -> bool:
    """Whether a common family name begins it, or a blank stands between family and given name."""
    if "\uac00" <= name[0] <= "\ud7a3":
        if is_labelled and len(name) == 3 and name[0] in _RARE_KOREAN_FAMILIES:
            return True
        return name[0] in KOREAN_FAMILIES and 2 <= len(name) <= 4
    family, blank, first = name.partition(" ")
    if blank:
        return bool(first) and (len(family) > 1 or family in JAPANESE_FAMILIES or family in CHINESE_FAMILIES)
    if len(name) >= 3 and any(name[:size] in JAPANESE_FAMILIES for size in (3, 2, 1)):
        return True
    if name[0] in CHINESE_FAMILIES and 2 <= len(name) <= 3 and not _KANA.search(name):
        return True
    return is_labelled and len(name) >= 3
