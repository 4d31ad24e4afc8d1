"""Settings that people edited, and tenants with their use."""
