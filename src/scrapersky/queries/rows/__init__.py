"""Rows of the listed resources: which there are, which match, in which order, and one of them whole."""
