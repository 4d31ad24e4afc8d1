"""What is known about suppressions and about one person."""
