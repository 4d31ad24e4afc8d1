"""Reads the profile that a URL of a social network shows."""

from dataclasses import dataclass
from urllib.parse import quote, unquote

from scrapersky.extract.socials.networks import RESERVED, SERVED, Network, find_network, profile_host

_LONGEST_HANDLE = 160
_REDIRECTS = {"l.facebook.com": "u", "lm.facebook.com": "u", "l.instagram.com": "u", "www.google.com": "q"}


@dataclass(frozen=True, slots=True)
class Profile:
    """Somebody's place on a network."""

    network: str
    url: str
    handle: str

    @property
    def key(self) -> tuple[str, str]:
        """Two addresses with the same key show the same profile."""
        path = self.url.partition("//")[2].partition("/")[2] or self.url
        return self.network, unquote(path).casefold()

    @property
    def is_personal(self) -> bool:
        """Whether the address says that it is a person's, not an organisation's."""
        return any(
            mark in self.url for mark in ("linkedin.com/in/", "linkedin.com/pub/", "xing.com/profile/")
        )


def read_profile(url: str) -> Profile | None:
    """The profile an address shows; None for shares, posts, log-ins, rules and everything else."""
    url = url.strip()
    host = profile_host(url)
    if host in _REDIRECTS:
        url = _unwrapped(url, host)
        host = profile_host(url)
    network = find_network(host)
    if network is None:
        return None
    path, query = _path_and_query(url)
    segments = [segment for segment in path.split("/") if segment]
    if network.argument and (named := _named_profile(network, segments, query)):
        return named
    if network.in_subdomain and host not in (*network.hosts, *(f"www.{known}" for known in network.hosts)):
        return _subdomain_profile(network, host, segments)
    return _path_profile(network, host, _without_dropped(network, segments))


def _unwrapped(url: str, host: str) -> str:
    """The target of a network's own redirect page."""
    target = unquote(_argument(_path_and_query(url)[1], _REDIRECTS[host]))
    return target if target.startswith(("http://", "https://")) else url


def _path_and_query(url: str) -> tuple[str, str]:
    rest = url.partition("//")[2] if "//" in url[:8] else url
    rest, _, fragment = rest.partition("#")
    rest, _, query = rest.partition("?")
    path = rest.partition("/")[2]
    # Old links of Facebook and Twitter keep the path behind "#!".
    return (fragment[2:] if not path and fragment.startswith("!/") else path), query


def _argument(query: str, name: str) -> str:
    for pair in query.replace("&amp;", "&").split("&"):
        key, _, value = pair.partition("=")
        if key == name:
            return value
    return ""


def _named_profile(network: Network, segments: list[str], query: str) -> Profile | None:
    path, argument = network.argument or ("", "")
    value = _argument(query, argument)
    if not value.isdecimal() or (segments and segments[0] != path):
        return None
    return Profile(network.name, f"{network.home}{path}?{argument}={value}", value)


def _subdomain_profile(network: Network, host: str, segments: list[str]) -> Profile | None:
    label = host.partition(".")[0]
    if segments or label in RESERVED or label in network.reserved:
        return None
    return Profile(network.name, f"https://{host}/", label)


def _without_dropped(network: Network, segments: list[str]) -> list[str]:
    for word in network.dropped:
        if len(segments) > 1 and (
            segments[0] == word or (word.endswith("-") and segments[0].startswith(word))
        ):
            return segments[1:]
    return segments


def _path_profile(network: Network, host: str, segments: list[str]) -> Profile | None:
    for shape in network.shapes:
        taken = _taken(shape.split("/"), segments)
        if taken is None:
            continue
        used, handles = taken
        rest = segments[used:]
        if rest and (len(rest) > 1 or rest[0].lower() not in network.sides):
            continue
        # A network's own word names nobody, also behind the word for groups, companies or channels.
        if not _is_free_word(network, handles[-1]) if shape == "*" else _is_own_word(handles[-1]):
            continue
        if all(_is_handle(network, handle) for handle in handles):
            path = handles if shape == "*" else segments[:used]
            return Profile(network.name, _home(network, host) + _quoted(path), "/".join(handles))
    return None


def _taken(shape: list[str], segments: list[str]) -> tuple[int, list[str]] | None:
    """How many segments a shape covers, and the handles it names; None when it does not fit."""
    handles: list[str] = []
    for place, word in enumerate(shape):
        if place >= len(segments):
            return None
        if word == "**":
            return len(segments), [unquote("/".join(segments[place:]))]
        segment = unquote(segments[place])
        if not word.endswith("*"):
            if segment.lower() != word.lower():
                return None
            continue
        if not segment.startswith(word[:-1]):
            return None
        handles.append(segment.lstrip("@") if word in ("@*", "*") and len(shape) == 1 else segment)
    return len(shape), handles


def _is_free_word(network: Network, handle: str) -> bool:
    word = handle.lower()
    if _is_own_word(word) or word in network.reserved:
        return False
    return not word.endswith(SERVED) and not word.startswith(("@@", "#"))


def _is_own_word(handle: str) -> bool:
    return handle.lower().strip("@") in RESERVED


def _is_handle(network: Network, handle: str) -> bool:
    bare = handle.lstrip("@")
    if not 1 < len(bare) <= _LONGEST_HANDLE or (bare.isdecimal() and not network.allows_number):
        return False
    if bare.isalnum():
        return True
    return any(map(str.isalnum, bare)) and all(c.isalnum() or c in network.signs or c in "/ " for c in bare)


def _home(network: Network, host: str) -> str:
    if not network.keeps_host:
        return network.home
    known = next((own for own in network.hosts if host == own or host.endswith(f".{own}")), host)
    return network.home.replace(network.hosts[0], known)


def _quoted(segments: list[str]) -> str:
    return "/".join(quote(unquote(segment), safe="@!$&'()*+,;=:-._~") for segment in segments)
