"""The commands that work with data: NAME.py defines the command NAME; its first line is the short help."""
