"""The commands to start with: NAME.py defines the command NAME; its first line is the short help."""
