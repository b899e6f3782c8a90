"""A small world with a web and a social network recorded as the recorder records them, and both still living."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path

from caia_replay.cassette.cassette import Interaction, write_cassette
from caia_replay.core.provider import Recorded
from caia_replay.core.world import Page, Post
from caia_replay.providers.reader.provider import page_reply, page_request
from caia_replay.providers.x.provider import XApiProvider
from caia_replay.store.world_folder import open_world, seal_world
from caia_replay.world.world import FrozenWorld
from caia_worldgen.services.service import Service
from caia_worldgen.services.x_api import XApi
from caia_worldgen.services.x_api_body import User
from tests.provider_law import recorded
from tests.x_network import END, draw_posts, draw_users
from tests.x_question import get


@dataclass(frozen=True)
class SocialWorld:
    """The network's accounts and posts, the frozen world, and the service that still lives."""

    users: Sequence[User]
    posts: Sequence[Post]
    world: FrozenWorld
    origin: tuple[Service, ...]


def social_world(shipped: Path, out: Path, pages: Iterable[Page] = (), posts: int = 500) -> SocialWorld:
    """The shipped world's tasks and chain, copied into ``out``, with another web.

    Posts are recorded from everybody's timeline at the story's end, accounts at each task's moment; pages a year later.
    """
    root = shipped.parents[1]
    for place in ("cassettes/mini-6", "chain_snapshots/mini"):
        shutil.copytree(root / place, out / place)
    folder = out / "cassettes" / "mini-6"
    for path in (*(folder / "http").glob("*.json"), *folder.glob("tasks/*/http.json")):
        path.unlink()
    users = draw_users("social")
    written = draw_posts("social", users, posts)
    service, provider = XApi(users, written), XApiProvider()
    timelines = recorded(service, provider, [get(f"/users/{user.id}/tweets") for user in users], END)
    write_cassette(folder / "http" / "web.json", [*map(_page, pages), *map(_written, timelines)])
    seal_world(folder)
    asked, told = [get("/users/by?usernames=" + ",".join(user.handle for user in users))], open_world(str(folder))
    for task in map(told.task, told.suite.active()):
        made = recorded(service, provider, asked, task.anchor.timestamp)
        write_cassette(folder / "tasks" / task.id / "moment.json", list(map(_written, made)))
    seal_world(folder)
    return SocialWorld(users, written, FrozenWorld(open_world(str(folder))), (service,))


def _page(page: Page) -> Interaction:
    read = {"date": (formatdate(END + 365 * 86_400, usegmt=True),)}
    return Interaction("GET", page_request(page.url).url, b"", {}, 200, "", read, page_reply(page).body)


def _written(found: Recorded) -> Interaction:
    asked, reply = found.request, found.reply
    sent = {name.lower(): (value,) for name, value in (asked.headers or {}).items()}
    told = {name: (value,) for name, value in reply.headers.items()}
    return Interaction("GET", asked.url, b"", sent, reply.status, "", told, reply.body)
