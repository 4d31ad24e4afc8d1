"""Persons of an organisation, with their roles and contacts."""

from scrapersky.extract.people.extractor import find_people

__all__ = ["find_people"]
