"""What a page and its site say about themselves."""
