"""The OpenAPI document, and the reference that people read."""
