"""Countries by code, name, domain ending and place."""

from scrapersky.extract.geography.country_codes import country_code

__all__ = ["country_code"]
