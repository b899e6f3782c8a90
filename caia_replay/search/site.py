"""Which sites an address belongs to, as ``site:`` names them."""

from __future__ import annotations

from urllib.parse import urlsplit

from caia_replay.search.text import normalised

_MAX_SEGMENTS = 8


def site_terms(url: str) -> list[str]:
    """What ``site:`` may say to mean this page: its host, each parent domain, and host plus each path prefix.

    Lower case, without ``www.``; empty for a URL without a host.
    """
    place = site_place(url)
    if not place:
        return []
    host, _, path = place.partition("/")
    labels = host.split(".")
    terms = [".".join(labels[i:]) for i in range(len(labels))]
    segments = [piece for piece in path.split("/") if piece][:_MAX_SEGMENTS]
    terms += [f"{host}/{'/'.join(segments[: i + 1])}" for i in range(len(segments))]
    return terms


def site_place(text: str) -> str:
    """A URL or what stands after ``site:`` as ``host/path``, lower case, without scheme, port, ``www.`` and query.

    Empty when it cannot be read.
    """
    text = normalised(text).strip().lower()
    try:
        parts = urlsplit(text if "://" in text else f"//{text}")
        host = parts.hostname or ""
    except ValueError:
        return ""
    host = host.removeprefix("www.").strip(".")
    path = "/".join(piece for piece in parts.path.split("/") if piece)
    return f"{host}/{path}" if host and path else host
