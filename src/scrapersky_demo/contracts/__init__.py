"""Servers that behave as the services we use, with state, limits and failures: for tests and trials."""
