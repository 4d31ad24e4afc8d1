"""Request bodies: read, limited and checked before any route sees them."""
