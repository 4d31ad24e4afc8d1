"""Channels that alerts are sent over: one file each, one small protocol."""
