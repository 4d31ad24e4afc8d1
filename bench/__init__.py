"""Measurements against the peers, each printed by `make bench` and kept in docs/results.md."""
