"""Passwords: which are accepted, and how they are hashed and checked outside the event loop."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.resources import files
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from scrapersky.errors import InvalidInput

T = TypeVar("T")
MIN_LENGTH, MAX_LENGTH = 12, 128
# Fewer letters than this beside common words are soon guessed.
MIN_OWN_LETTERS = 4
PRODUCT_WORDS = frozenset({"scrapersky", "scraper", "leadengine", "changeme"})
# argon2id with 19 MiB and two passes, the least that OWASP recommends.
HASHER = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
# Each hash takes 19 MiB and a processor; more at once would only slow down everything else.
_POOL = ThreadPoolExecutor(max_workers=2, thread_name_prefix="password")
_LEET = str.maketrans("013457@$!", "oieastasi")


def check_new_password(password: str, *personal: str) -> None:
    """Refuse a password that is short, long, common, or made of the person's own name."""
    if not MIN_LENGTH <= len(password) <= MAX_LENGTH:
        raise InvalidInput(f"The password must have {MIN_LENGTH} to {MAX_LENGTH} characters")
    lowered = password.lower()
    own = {part for text in personal for part in re.findall(r"\w{3,}", text.lower())}
    if any(_is_common(text, own) for text in (lowered, lowered.translate(_LEET))):
        raise InvalidInput("The password is too common or easy to guess; several random words are a good one")


def _is_common(text: str, personal: set[str]) -> bool:
    """Whether nothing is left but a few letters once common words, digits and repetitions are gone."""
    if not text.isascii():
        return False
    for word in sorted(_common_words() | PRODUCT_WORDS | personal, key=len, reverse=True):
        text = text.replace(word, " ")
    return len(set(re.sub(r"[^a-z]", "", text))) < MIN_OWN_LETTERS


@cache
def _common_words() -> frozenset[str]:
    return frozenset((files(__package__) / "common_passwords.txt").read_text(encoding="ascii").split())


async def hash_password(password: str) -> str:
    return await _in_pool(lambda: HASHER.hash(password))


async def verify_password(stored: str | None, password: str) -> bool:
    """Whether the password is the stored one; without a stored one it takes as long and is wrong."""
    matches = await _in_pool(lambda: _matches(stored or _unknown_hash(), password))
    return matches and stored is not None


def is_outdated(stored: str) -> bool:
    """Whether the hash was made with other parameters than today's."""
    return HASHER.check_needs_rehash(stored)


def _matches(stored: str, password: str) -> bool:
    try:
        return HASHER.verify(stored, password)
    except (VerificationError, InvalidHashError):
        return False


@cache
def _unknown_hash() -> str:
    """A hash to check against when there is no such account, so that the time reveals nothing."""
    return HASHER.hash("nobody has this password")


async def _in_pool(work: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(_POOL, work)
