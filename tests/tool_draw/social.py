"""Calls of the tools that read the web and the social network; one in ten asks for what is not there, or not yet.

``INSIDE`` draws of what is recorded by the task's moment alone, so that none of it may be a miss.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from random import Random
from typing import Any

from caia_replay.core.world import Page, Post
from caia_replay.world.clock import utc_text
from caia_replay.world.world import TaskWorld
from tests.tool_law import Draw

_DAY_S = 86_400
_PASTS = ("day", "past week", "month", "3 days", "last 2 weeks", "24h", "an hour", "year")
_NOBODY = ("nobody_at_all", "elonmusk", "x")


def web_search(rng: Random, world: TaskWorld, inside: bool = False) -> Mapping[str, Any]:
    """Words of pages that are there by now or later, with any operator."""
    page = rng.choice(world.world.corpus)
    operators = [f"site:{page.url.split('/')[2]}", f"lang:{page.language or 'en'}", f"-{_word(rng, page.text)}"]
    operators += [f"since:{_day(rng, world)}", f"until:{_day(rng, world)}"]
    operators += [f'author:"{page.author}"'] if page.author else []
    query = _query(rng, f"{page.title} {page.text}", operators)
    return {"query": query, **_some(rng, limit=rng.randint(1, 20), page=rng.randint(1, 4)), **_window(rng, world)}


def url_fetching(rng: Random, world: TaskWorld, inside: bool = False) -> Mapping[str, Any]:
    """Pages that are out by now, or later; whole, from the middle on, and what they say of some words."""
    outside = not inside and rng.random() < 0.1
    page: Page = rng.choice(world.world.corpus if outside else world.pages())
    url = page.url + (rng.choice(["/", "?a=1", ""]) if outside else rng.choice(["", "", "#part"]))
    find = f"{_word(rng, page.title)} {_word(rng, page.title)}"
    return {"url": url, **_some(rng, find=find, cursor=len(page.text) // 2, max_links=rng.randint(0, 5))}


def twitter_search(rng: Random, world: TaskWorld, inside: bool = False) -> Mapping[str, Any]:
    """Words, tags and names of posts of the whole story, with any operator."""
    post = rng.choice(world.world.posts)
    operators = [f"from:{post.author}", f"@{post.author}", f"lang:{post.language or 'en'}"]
    operators += [f"-{_word(rng, post.text)}", f"since:{_day(rng, world)}", f"until:{_day(rng, world)}"]
    more = _some(rng, limit=rng.randint(1, 50), page=rng.randint(1, 3), order=rng.choice(["best", "newest"]))
    return {"query": _query(rng, post.text, operators), **more, **_window(rng, world)}


def social_stream(rng: Random, world: TaskWorld, inside: bool = False) -> Mapping[str, Any]:
    """Accounts, topics and threads; or somebody who is nobody, or who comes later."""
    told, outside = world.posts(), not inside and rng.random() < 0.1
    post: Post = rng.choice(world.world.posts if outside else told)
    kind = rng.random()
    if kind < 0.15:
        return {"post": rng.choice([post.id, post.url])}
    more = {**_some(rng, limit=rng.randint(1, 50)), **_window(rng, world)}
    if kind < 0.3:
        return {"topic": _word(rng, post.text), **more, **_some(rng, handles=[post.author], cursor="5")}
    authors = dict.fromkeys([post.author, *(rng.choice(told).author for _ in range(rng.randint(0, 2)))])
    handles = [rng.choice(["", "@"]) + author for author in authors]
    if outside and rng.random() < 0.5:
        handles.append(rng.choice(_NOBODY))
    return {"handles": handles, **more, **_some(rng, cursor=f"{post.created}-{post.id}")}


DRAWS: dict[str, Draw] = {
    "web_search": web_search, "url_fetching": url_fetching, "twitter_search": twitter_search,
    "social_stream": social_stream,
}  # fmt: skip
INSIDE: Mapping[str, Draw] = {name: partial(draw, inside=True) for name, draw in DRAWS.items()}


def _query(rng: Random, text: str, operators: Sequence[str]) -> str:
    words = text.split() or ["supply"]
    at = rng.randrange(len(words))
    phrase = " ".join(words[at : at + rng.randint(1, 4)])
    asked = [f'"{phrase}"' if rng.random() < 0.25 else phrase]
    asked += rng.sample(operators, rng.choice([0, 0, 1, 1, 2]))
    rng.shuffle(asked)
    return " ".join(asked)


def _window(rng: Random, world: TaskWorld) -> dict[str, str]:
    if rng.random() < 0.5:
        return {}
    days = sorted([_day(rng, world), _day(rng, world)])
    return rng.choice([{"past": rng.choice(_PASTS)}, {"first_day": days[0]}, {"last_day": days[1]},
                        {"first_day": days[0], "last_day": days[1]}])  # fmt: skip


def _some(rng: Random, **arguments: Any) -> dict[str, Any]:
    """Each argument or not."""
    return {name: value for name, value in arguments.items() if rng.random() < 0.4}


def _day(rng: Random, world: TaskWorld) -> str:
    return utc_text(world.clock.now - rng.randint(0, 45) * _DAY_S)[:10]


def _word(rng: Random, text: str) -> str:
    return rng.choice(text.split() or ["supply"])
