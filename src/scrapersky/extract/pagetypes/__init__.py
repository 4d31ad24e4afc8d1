"""Type and priority of a page by its URL, link text and title."""
