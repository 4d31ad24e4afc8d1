"""A page parsed once: text, lines, links, head and structured data."""
