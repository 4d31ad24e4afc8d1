"""An invented little internet that knows the truth about itself: for the demo, tests and benchmarks."""

from scrapersky_demo.evaluation import Score, score
from scrapersky_demo.server.request_log import RequestLog
from scrapersky_demo.server.server import DemoServer, serve_world
from scrapersky_demo.truth import Truth
from scrapersky_demo.world import World

__all__ = ["DemoServer", "RequestLog", "Score", "Truth", "World", "score", "serve_world"]
