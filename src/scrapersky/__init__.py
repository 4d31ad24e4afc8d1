"""ScraperSky: from a kind of business and a place to verified contacts, with evidence."""
