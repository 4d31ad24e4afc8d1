"""Queries about places: pairs that may be the same business, what exports leave out, and coverage."""
