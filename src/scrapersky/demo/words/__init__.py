"""The invented words of the demo world, one module per language and country."""

from scrapersky.demo.locale import Locale
from scrapersky.demo.words.de_de import LOCALE as DE_DE
from scrapersky.demo.words.en_gb import LOCALE as EN_GB
from scrapersky.demo.words.en_us import LOCALE as EN_US
from scrapersky.demo.words.es_es import LOCALE as ES_ES
from scrapersky.demo.words.fr_fr import LOCALE as FR_FR
from scrapersky.demo.words.it_it import LOCALE as IT_IT
from scrapersky.demo.words.nl_nl import LOCALE as NL_NL
from scrapersky.demo.words.pl_pl import LOCALE as PL_PL
from scrapersky.demo.words.pt_br import LOCALE as PT_BR
from scrapersky.demo.words.sv_se import LOCALE as SV_SE

LOCALES: tuple[Locale, ...] = (EN_US, DE_DE, FR_FR, EN_GB, ES_ES, IT_IT, NL_NL, PL_PL, PT_BR, SV_SE)
