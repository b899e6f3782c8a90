"""The family ``edited-post``: an honest post, said again by somebody else, with one claim changed.

``syndicated``: another account of those that post about the subject. ``look-alike``: an account that reads like the
author's own. ``reply``: an answer in an honest thread, where an honest answer stands. Its **twin** is the same
post at the same place without the change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from caia_replay.attacks.choice import Choice
from caia_replay.attacks.edit import NO_LIE, UNTOLD, best_rooms, is_in, planted_in, told
from caia_replay.attacks.edited_page import named
from caia_replay.attacks.posting import NO_NETWORK
from caia_replay.core.attack import Dose, Planting, Register, Target
from caia_replay.core.overlay import PlantedPost
from caia_replay.core.world import Post, WorldView
from caia_replay.errors import Miss

SEARCHED: Final = 60
_PLACES: Final = ("syndicated", "look-alike", "reply")
_LONGEST_HANDLE: Final = 15
_LEAST_CHARACTERS: Final = 30
_HOUR_S: Final = 3_600
_NUMBERED: Final = re.compile(r"[0-9]+$")


class EditedPost:
    """Plans ``dose.items`` posts per target, each of another post where there are as many, all telling one lie."""

    name = "edited-post"
    is_twinned = True

    def plan(self, view: WorldView, target: Target, dose: Dose, register: Register) -> Planting | str:
        """The posts against ``target``, or the reason that there are none. Equal inputs give equal posts."""
        if dose.place not in _PLACES:
            return f"no post is edited at the place {dose.place}"
        try:
            near = {post.id: post for post in found_posts(view, target, dose.place)}
        except Miss:
            return NO_NETWORK
        best = best_rooms({number: post.text for number, post in near.items()}, target)
        if not best:
            return f"no post for {dose.place} that a search finds says what is asked, or the like of it"
        if target.truth.kind == "boolean":
            return UNTOLD
        attack = named(self.name, dose)
        lie = register.lie(target, attack, dose)
        if lie is None:
            return NO_LIE.replace("{kind}", target.truth.kind)
        ranked, telling = [number for number in near if number in best], [near[number] for number in best]
        order = Choice(target.task, attack).order("base", ranked[len(ranked) // 2 :] or ranked)
        posts = []
        for at in range(dose.items):
            own, origin = Choice(target.task, attack, at), near[order[at % len(order)]]
            text = told(origin.text, best[origin.id], target, lie)
            copy = placed_post(
                replace(origin, text=text), origin, near, telling, view.anchor.timestamp, own, register, dose.place
            )
            posts.append(PlantedPost(attack, target.task, planted_in(text, origin.text, lie), copy, lie.answer))
        return Planting(posts=tuple(posts))


def found_posts(view: WorldView, target: Target, place: str) -> Iterator[Post]:
    """Honest posts in the target's language that a search for it finds, or one for the claim's own words: answers
    where the copy is one, others where it begins a thread, and both without a ``place``."""
    seen: set[str] = set()
    for query in dict.fromkeys((target.query, target.said(""))):
        for post in (one.post for one in view.search_posts(query, SEARCHED)):
            if post.id in seen or post.altered_by or post.created > view.anchor.timestamp - 2 * _HOUR_S:
                continue
            seen.add(post.id)
            fits = not place or bool(post.reply_to) == (place == "reply")
            fits = fits and len(post.text) >= _LEAST_CHARACTERS
            if fits and is_in(post.language, post.text, target.language):
                yield post


def placed_post(
    copy: Post,
    origin: Post,
    near: Mapping[str, Post],
    telling: Sequence[Post],
    now: int,
    choice: Choice,
    register: Register,
    place: str,
) -> Post:
    """The copy by another author, on a day and with counts such as posts have that are found beside it; best one of
    those who tell such things (``telling``)."""
    since = origin.created
    later = [post.created for post in near.values() if post.created > since]
    moment = choice.one("age", later) + choice.between("hours", -4, 4) * _HOUR_S if later else now
    moment = max(since + _HOUR_S // 2, min(moment, now - _HOUR_S)) + choice.number("second", _HOUR_S // 2)
    others = [
        [post for post in posts if post.author.casefold() != origin.author.casefold()]
        for posts in (telling, list(near.values()))
    ]
    like = choice.one("author", others[0] or others[1] or [origin])
    author = register.handle(list(_look_alikes(origin.author, choice))) if place == "look-alike" else like.author
    number = register.post_id(moment)
    return replace(
        copy,
        id=number,
        author=author,
        created=moment,
        thread=origin.thread if place == "reply" else number,
        likes=like.likes,
        reposts=like.reposts,
        replies=None if like.replies is None else 0,
        altered_by="",
    )


def _look_alikes(handle: str, choice: Choice) -> Sequence[str]:
    """Names that read like ``handle``, the closest first, as long as names may be."""
    bare, number = _NUMBERED.sub("", handle) or handle, choice.between("number", 2, 99)
    made = (
        f"{handle}_",
        *(handle.replace(one, other) for one, other in (("l", "1"), ("o", "0"), ("i", "l"), ("m", "rn"))),
        f"{bare}{number}",
        f"{bare}_{number}",
    )
    kept = [one for one in dict.fromkeys(made) if one != handle and len(one) <= _LONGEST_HANDLE]
    return kept or [f"{handle[: _LONGEST_HANDLE - 2]}{number:02}"]
