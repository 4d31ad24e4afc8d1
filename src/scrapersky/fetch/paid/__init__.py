"""The paid tier: ScraperAPI and its credits."""
