"""Postal addresses of a page."""
