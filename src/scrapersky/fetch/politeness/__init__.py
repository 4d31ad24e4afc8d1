"""Politeness towards hosts: robots.txt, and a rate limit for each host."""
