"""Cleaning, searching and recognising plain text."""
