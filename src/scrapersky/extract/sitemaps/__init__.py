"""Sitemaps and feeds: where they are and what they list."""
