"""Suppressions, and the rights of the people whose data is stored."""
