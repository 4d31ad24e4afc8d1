"""The commands to operate it: NAME.py defines the command NAME; its first line is the short help."""
