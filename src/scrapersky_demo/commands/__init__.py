"""The commands of the demo; the program loads them by name."""
