"""An invented little internet that knows the truth about itself: for the demo, tests and benchmarks."""
