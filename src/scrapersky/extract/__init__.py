"""Pure functions: text or bytes in, plain values out. No network, database, clock, log or settings."""
