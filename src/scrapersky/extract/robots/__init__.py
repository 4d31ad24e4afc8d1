"""What a robots.txt allows."""

from scrapersky.extract.robots.policy import Robots, read_robots

__all__ = ["Robots", "read_robots"]
