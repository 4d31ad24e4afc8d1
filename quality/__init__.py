"""Measures of how well extraction reads labelled pages."""
