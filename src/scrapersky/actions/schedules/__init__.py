"""Schedules: when searches, crawls and sends are repeated, and the runs that they start."""
