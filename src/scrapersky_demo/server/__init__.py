"""The HTTP server of the demo world and the log of its requests."""
