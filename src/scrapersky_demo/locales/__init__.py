"""The invented words of the demo world, one module per language and country."""

from scrapersky_demo.locales.de_de import LOCALE as DE_DE
from scrapersky_demo.locales.en_gb import LOCALE as EN_GB
from scrapersky_demo.locales.en_us import LOCALE as EN_US
from scrapersky_demo.locales.es_es import LOCALE as ES_ES
from scrapersky_demo.locales.fr_fr import LOCALE as FR_FR
from scrapersky_demo.locales.it_it import LOCALE as IT_IT
from scrapersky_demo.locales.locale import Locale
from scrapersky_demo.locales.nl_nl import LOCALE as NL_NL
from scrapersky_demo.locales.pl_pl import LOCALE as PL_PL
from scrapersky_demo.locales.pt_br import LOCALE as PT_BR
from scrapersky_demo.locales.sv_se import LOCALE as SV_SE

LOCALES: tuple[Locale, ...] = (EN_US, DE_DE, FR_FR, EN_GB, ES_ES, IT_IT, NL_NL, PL_PL, PT_BR, SV_SE)
