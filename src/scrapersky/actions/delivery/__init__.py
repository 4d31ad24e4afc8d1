"""Destinations and what is sent to them: rows of `destinations` and `deliveries`, and what comes back."""
