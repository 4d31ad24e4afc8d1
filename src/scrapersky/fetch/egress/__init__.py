"""Which URLs, addresses and ports may be connected to."""
