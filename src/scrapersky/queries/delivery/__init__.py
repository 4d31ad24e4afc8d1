"""Destinations as people see them, and what a delivery would contain."""
