"""Persons of an organisation, with their roles and contacts."""
