"""E-mail addresses of a page."""
