"""Hosts and URLs in one canonical form."""
