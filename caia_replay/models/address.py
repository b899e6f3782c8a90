"""Addresses of endpoints and proxies: what may be shown of one, which hosts it names, and whether two are the same.

The user, password and query of an address are secrets of whoever set it: no message, and nothing that is kept, may
hold them.
"""

from __future__ import annotations

import re
from urllib.parse import SplitResult, unquote, urlsplit

NO_ADDRESS = "what is no address"
_PORTS = {"http": 80, "https": 443}


def shown_address(address: str) -> str:
    """An address as it may be shown: without user, password, query and fragment, any of which may hold a key.

    Whatever stands before an ``@`` goes, wherever it is: in an address that is none, a password may stand anywhere.
    """
    value = re.split(r"[?#]", address, maxsplit=1)
    scheme, mark, place = value[0].rpartition("://")
    try:
        urlsplit(address)
    except ValueError:
        return NO_ADDRESS
    if "@" in "".join(value[1:]) or "@" in scheme:
        return NO_ADDRESS
    return scheme + mark + place.rpartition("@")[2]


def secrets_of(address: str) -> tuple[str, ...]:
    """The password that stands in an address, as it is spelt there and as it is meant; none where none does."""
    try:
        password = urlsplit(address).password
    except ValueError:
        return ()
    return tuple(dict.fromkeys((password, unquote(password)))) if password else ()


def credentials_of(address: str) -> tuple[str, str]:
    """User and password of an address, as they are meant; empty where there are none."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return "", ""
    return unquote(parts.username or ""), unquote(parts.password or "")


def host_names(address: str) -> frozenset[str]:
    """The host of an address as it is spelt, in lower case, and as it is looked up (IDNA); empty without one.

    Raises ``ValueError`` for an address that is none, and for a host that no name service could be asked for.
    """
    host = urlsplit(address).hostname
    if not host:
        return frozenset()
    return frozenset((host, _looked_up(host)))


def same_place(one: str, other: str) -> bool:
    """Whether two addresses are one, however they are spelt: letter case, default port, slashes at the end."""
    try:
        return _place(urlsplit(one)) == _place(urlsplit(other))
    except ValueError:
        return False


def without_place(text: str, address: str) -> str:
    """``text`` of a client's, with the address, its host and its password taken out where it repeats them."""
    try:
        parts, hosts = urlsplit(address), host_names(address)
    except ValueError:
        return text
    for one in (address, parts.netloc, *secrets_of(address)):
        text = text.replace(one, "the endpoint") if one else text
    for host in sorted(hosts, key=len, reverse=True):
        spelt = rf"\[?{re.escape(host)}\]?(?::\d+)?"
        text = re.sub(rf"(?<![\w.:-]){spelt}(?![\w:-]|\.\w)", "the endpoint", text, flags=re.IGNORECASE)
    return text


def _place(parts: SplitResult) -> tuple[str, str, int | None, str]:
    host = _looked_up(parts.hostname or "").removesuffix(".")
    return parts.scheme, host, parts.port or _PORTS.get(parts.scheme), parts.path.rstrip("/")


def _looked_up(host: str) -> str:
    if host.isascii():
        return host
    import httpx2  # the client that asks: it must be its spelling

    try:
        return httpx2.URL(scheme="https", host=host).raw_host.decode("ascii")
    except httpx2.InvalidURL as fault:
        raise ValueError("the host is no name") from fault
