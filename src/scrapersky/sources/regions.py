"""Regions of the countries in which cities share names: the codes of GeoNames, with the names people use."""

from __future__ import annotations

_UNITED_STATES = """
    AL Alabama, AK Alaska, AZ Arizona, AR Arkansas, CA California, CO Colorado, CT Connecticut, DE Delaware,
    DC District of Columbia, FL Florida, GA Georgia, HI Hawaii, ID Idaho, IL Illinois, IN Indiana, IA Iowa,
    KS Kansas, KY Kentucky, LA Louisiana, ME Maine, MD Maryland, MA Massachusetts, MI Michigan, MN Minnesota,
    MS Mississippi, MO Missouri, MT Montana, NE Nebraska, NV Nevada, NH New Hampshire, NJ New Jersey,
    NM New Mexico, NY New York, NC North Carolina, ND North Dakota, OH Ohio, OK Oklahoma, OR Oregon,
    PA Pennsylvania, RI Rhode Island, SC South Carolina, SD South Dakota, TN Tennessee, TX Texas, UT Utah,
    VT Vermont, VA Virginia, WA Washington, WV West Virginia, WI Wisconsin, WY Wyoming
    """
_CANADA = """
    01 Alberta AB, 02 British Columbia BC, 03 Manitoba MB, 04 New Brunswick NB,
    05 Newfoundland and Labrador NL, 07 Nova Scotia NS, 08 Ontario ON, 09 Prince Edward Island PE,
    10 Quebec QC, 11 Saskatchewan SK, 12 Yukon YT, 13 Northwest Territories NT, 14 Nunavut NU
    """
_AUSTRALIA = """
    01 Australian Capital Territory ACT, 02 New South Wales NSW, 03 Northern Territory NT, 04 Queensland QLD,
    05 South Australia SA, 06 Tasmania TAS, 07 Victoria VIC, 08 Western Australia WA
    """
_GERMANY = """
    01 Baden-Württemberg, 02 Bavaria, 03 Bremen, 04 Hamburg, 05 Hesse, 06 Lower Saxony,
    07 North Rhine-Westphalia, 08 Rhineland-Palatinate, 09 Saarland, 10 Schleswig-Holstein, 11 Brandenburg,
    12 Mecklenburg-Vorpommern, 13 Saxony, 14 Saxony-Anhalt, 15 Thuringia, 16 Berlin
    """
_UNITED_KINGDOM = "ENG England, SCT Scotland, WLS Wales, NIR Northern Ireland"

REGION_NAMES: dict[tuple[str, str], str] = {}
# What people write behind the name of a city, in lower case and without accents.
REGION_CODES: dict[str, tuple[tuple[str, str], ...]] = {}


def _add(country: str, regions: str) -> None:
    for line in regions.split(","):
        code, *words = line.split()
        # Some countries' codes are numbers; their usual abbreviation stands behind the name.
        short = words.pop() if words[-1].isupper() else code
        name = " ".join(words)
        REGION_NAMES[country, code] = name
        for text in (name.lower().replace("ü", "u"), short.lower()):
            REGION_CODES[text] = (*REGION_CODES.get(text, ()), (country, code))


for _country, _regions in (
    ("US", _UNITED_STATES),
    ("CA", _CANADA),
    ("AU", _AUSTRALIA),
    ("DE", _GERMANY),
    ("GB", _UNITED_KINGDOM),
):
    _add(_country, _regions)
