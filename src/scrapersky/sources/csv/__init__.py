"""Reads CSV files that people made: any encoding, delimiter and line end."""
