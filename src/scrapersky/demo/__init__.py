"""An invented little internet that knows the truth about itself: for the demo, tests and benchmarks."""

from scrapersky.demo.request_log import RequestLog
from scrapersky.demo.scoring import Score, score
from scrapersky.demo.server import DemoServer, serve
from scrapersky.demo.truth import Truth
from scrapersky.demo.world import World

__all__ = ["DemoServer", "RequestLog", "Score", "Truth", "World", "score", "serve"]
