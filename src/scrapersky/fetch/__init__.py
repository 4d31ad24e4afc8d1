"""HTTP requests to other people's hosts: SSRF-safe, polite and bounded."""
