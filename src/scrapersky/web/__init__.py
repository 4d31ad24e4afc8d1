"""HTML and health for browsers and load balancers; a thin shell over queries and actions."""

from scrapersky.web.application import make_web

__all__ = ["make_web"]
