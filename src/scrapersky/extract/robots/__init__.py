"""What a robots.txt allows."""
