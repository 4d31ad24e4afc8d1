"""Disposable mail domains, and misspellings of large providers."""

from __future__ import annotations

import re
from functools import lru_cache

from disposable_email_domains import blocklist


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What the published list lacks.
DISPOSABLE = blocklist | _words(
    """
    10minutemail.org 33mail.com antichef.com burnermail.io disposablemail.com fliphost.net luxusmail.org
    mail-temp.com mailtemporal.com neverbox.com nomail.xl.cx nospam.ze.tc nospammail.net recursor.net
    sneakemail.com spamcannon.com spamgourmet.com spamgourmet.net spamgourmet.org speed.1s.fr temp-mail.io
    tempmail.dev tempmail.io tempmail.net tempmailaddress.com xoxy.net yourtempmail.com
    ypmail.webarnak.fr.eu.org
    """
)
_DISPOSABLE_WORDS = re.compile(
    r"(?:^|[.\-])(?:temp-?mail|trash-?mail|throwaway-?mail|disposable-?mail|wegwerf-?(?:e?mail|adresse)|"
    r"(?:10|20|30)-?minute(?:s)?-?mail|mailinator|guerr?illa-?mail|yopmail)(?:[.\-]|$)"
)

PROVIDERS = (
    "gmail.com", "googlemail.com", "hotmail.com", "outlook.com", "yahoo.com", "icloud.com", "live.com",
    "hotmail.fr", "hotmail.it", "hotmail.es", "hotmail.de", "hotmail.co.uk", "yahoo.fr", "yahoo.de",
    "yahoo.it", "yahoo.es", "yahoo.co.uk", "yahoo.com.br", "outlook.fr", "outlook.de", "protonmail.com",
    "gmx.de", "gmx.net", "web.de", "t-online.de", "freenet.de", "orange.fr", "wanadoo.fr",
    "laposte.net", "free.fr", "libero.it", "virgilio.it", "btinternet.com", "comcast.net",
    "verizon.net", "bigpond.com", "seznam.cz", "mail.ru", "yandex.ru", "bluewin.ch", "telenet.be",
    "skynet.be", "ziggo.nl", "uol.com.br", "terra.com.br", "wp.pl",
)  # fmt: skip
# Real domains that lie one letter from a provider.
_REAL = _words(
    """
    aol.com email.com fmail.com free.de free.it gail.com gmx.at gmx.ch gmx.com gmx.es gmx.eu gmx.fr
    gmx.org hotmail.be hotmail.ca hotmail.ch hotmail.com.ar hotmail.com.br hotmail.dk hotmail.fi
    hotmail.gr hotmail.nl hotmail.no hotmail.se live.ca live.co.uk live.com.au live.de live.fr live.it
    live.nl mac.com mail.be mail.bg mail.com mail.de mail.dk me.com msn.com o2.pl op.pl orange.be
    orange.es orange.net outlook.be outlook.com.br outlook.es outlook.it outlook.pt pm.me skynet.de
    telenet.de tp.pl vp.pl web.at web.com web.cz web.nl wp.com wp.eu yahoo.at yahoo.ca yahoo.co.in
    yahoo.co.jp yahoo.com.ar yahoo.com.au yahoo.com.mx yahoo.dk yahoo.gr yahoo.in yahoo.no yahoo.pl
    yahoo.ro yahoo.se ymail.com
    """
)


@lru_cache(maxsize=4_096)
def is_disposable(domain: str) -> bool:
    """Whether addresses of the domain, or of one above it, are made to be thrown away."""
    parts = domain.split(".")
    above = {".".join(parts[start:]) for start in range(len(parts) - 1)}
    return bool(above & DISPOSABLE) or _DISPOSABLE_WORDS.search(domain) is not None


@lru_cache(maxsize=4_096)
def suggest_domain(domain: str) -> str | None:
    """The big provider that was probably meant by a misspelt domain; None for a domain that is none."""
    if domain in PROVIDERS or domain in _REAL or len(domain) < 5:
        return None
    near = [provider for provider in PROVIDERS if _is_near(domain, provider)]
    return (
        min(near, key=lambda provider: (abs(len(provider) - len(domain)), PROVIDERS.index(provider)))
        if near
        else None
    )


def _is_near(domain: str, provider: str) -> bool:
    """One slip of the finger away: a letter added, lost, changed or swapped with its neighbour.

    In short names a changed letter makes another real name, so only long ones are compared so.
    """
    longest = max(len(domain), len(provider))
    if abs(len(domain) - len(provider)) > 1 or domain[0] != provider[0]:
        return False
    name, _, end = domain.partition(".")
    other_name, _, other_end = provider.partition(".")
    if name == other_name:
        return end in _END_SLIPS.get(other_end, ())
    return end == other_end and longest >= 9 and len(other_name) >= 5 and _slips(name, other_name) == 1


_END_SLIPS = {
    "com": ("con", "cmo", "ocm", "comm", "vom", "xom", "cm", "om", "coml", "cim", "cpm"),
    "de": ("ed",),
    "net": ("nett", "ner", "met", "nt"),
    "co.uk": ("co.k", "cou.k", "couk"),
}


def _slips(word: str, other: str) -> int:
    """The distance of Damerau and Levenshtein between two short words."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(word, 1):
        line = [row]
        for column, against in enumerate(other, 1):
            best = min(last[column] + 1, line[-1] + 1, last[column - 1] + (letter != against))
            is_swap = row > 1 and column > 1 and letter == other[column - 2] and word[row - 2] == against
            line.append(min(best, before[column - 2] + 1) if is_swap else best)
        before, last = last, line
    return last[-1]
