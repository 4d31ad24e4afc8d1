"""Decisions as people see them: operations, saved views and rules."""
