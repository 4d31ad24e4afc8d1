"""The HTTP API: `/api/v3`, one module of `routes` for each resource."""

from scrapersky.api.application import ApiContext, add_api

__all__ = ["ApiContext", "add_api"]
