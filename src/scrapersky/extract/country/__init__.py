"""The country that a page speaks from."""
