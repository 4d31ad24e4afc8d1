"""ScraperSky: from a kind of business and a place to verified contacts, with evidence."""

__version__ = "0.1.0"
