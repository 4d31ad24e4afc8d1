"""Passwords as people type them."""

from __future__ import annotations

import sys

import click


def read_password() -> str:
    """A password from the terminal, typed twice, or the first line of standard input."""
    if sys.stdin.isatty():
        return str(click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
    return sys.stdin.readline().rstrip("\r\n")
