"""The console: the pages in which people work. Thin: read the request, call a query or an action, render."""

from scrapersky.web.console.application import add_console

__all__ = ["add_console"]
