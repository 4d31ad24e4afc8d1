"""HTML and health for browsers and load balancers; a thin shell over queries and actions."""

from scrapersky.web.application import create_app

__all__ = ["create_app"]
