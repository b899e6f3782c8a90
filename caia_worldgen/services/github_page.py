"""How the GitHub API cuts a list into pages and says so: ``per_page``, ``page`` and the Link header."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

API: Final = "https://api.github.com"
MOST_ON_A_PAGE: Final = 100
_ON_A_PAGE: Final = 30


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a list, and the Link header that leads to the others; empty where there is no other."""

    items: Sequence[Any]
    link: str


def page_of(items: Sequence[Any], path: str, parameters: Mapping[str, str]) -> Page:
    """The page that is asked for. ``path`` is what the Link header's addresses have, without origin.

    A size that is no number from 1 up counts as 30, one over 100 as 100; a page that is none counts as the first.
    """
    size = min(_whole(parameters.get("per_page")) or _ON_A_PAGE, MOST_ON_A_PAGE)
    page = _whole(parameters.get("page")) or 1
    pages = max(1, -(-len(items) // size))
    places = []
    if page > 1:
        places.append(("prev", page - 1))
    if page < pages:
        places.append(("next", page + 1))
    if page != pages:
        places.append(("last", pages))
    if page > 1:
        places.append(("first", 1))
    link = ", ".join(
        f'<{API}{path}?{urlencode({**parameters, "page": number})}>; rel="{name}"' for name, number in places
    )
    return Page(items[(page - 1) * size : page * size], link)


def _whole(text: str | None) -> int:
    """A whole number from 1 up; 0 for anything else."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else 0
