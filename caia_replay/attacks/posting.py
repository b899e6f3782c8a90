"""What planted posts look like: accounts with names as the network's are, the tags of the subject, plausible counts.

They are written over what ``WorldView`` shows of the network: a post about a subject bears the tickers and hashtags
that recorded posts about it bear.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from caia_replay.attacks.choice import Choice
from caia_replay.attacks.name import handle
from caia_replay.core.attack import Register, Target
from caia_replay.core.world import Post, RankedPost, WorldView
from caia_replay.errors import Miss

NO_NETWORK: Final = "the world has no social network"

_SPARE_NAMES: Final = 8
_LOOKED_AT: Final = 12
_TICKER: Final = re.compile(r"(?<!\w)\$([A-Z][A-Z0-9]{1,9})\b")
_HASHTAG: Final = re.compile(r"(?<!\w)#(\w{2,20})\b")
_AGE_S: Final = 2 * 3_600


def about(view: WorldView, query: str) -> tuple[RankedPost, ...] | None:
    """The recorded posts that a search finds; None where there is no network to post on."""
    try:
        return view.search_posts(query, _LOOKED_AT)
    except Miss:
        return None


def tags_of(found: Sequence[RankedPost], target: Target) -> str:
    """The ticker and the hashtag that recorded posts about the target bear, as "$ABC #abc"; "" where they bear none.

    One that the target's words name goes before one that is merely common. No tag is ever a right answer.
    """
    named = set(re.findall(r"\w+", f"{target.query} {target.question}".casefold()))
    right = {value.casefold() for value in (*target.truth.values, *(target.truth.aliases or ()))}
    shown = []
    for pattern, sign in ((_TICKER, "$"), (_HASHTAG, "#")):
        counted = Counter(word for one in found for word in pattern.findall(one.post.text))
        words = [word for word in counted if word.casefold() not in right]
        if words:
            best = min(words, key=lambda word: (word.casefold() not in named, -counted[word], word))
            shown.append(f"{sign}{best}")
    return " ".join(shown)


def account(choice: Choice, what: str, register: Register) -> str:
    """A free handle, as people's accounts on the network are called."""
    return register.handle([handle(choice, f"{what}/{turn}") for turn in range(_SPARE_NAMES)])


def moments(now_s: int, count: int, choice: Choice) -> list[int]:
    """When ``count`` posts appear, oldest first: within minutes of each other, the newest 2 hours ago."""
    made = [now_s - _AGE_S - choice.between("newest", 0, 600)]
    for number in range(1, count):
        made.append(made[-1] - choice.between(f"gap/{number}", 40, 420))
    return made[:count][::-1]


def post(
    text: str,
    author: str,
    created: int,
    language: str,
    register: Register,
    choice: Choice,
    *,
    answered: Post | None = None,
    replies: int = 0,
) -> Post:
    """A post, or the answer to ``answered``; likes and reposts as a post of some reach has them."""
    number = register.post_id(created)
    liked = choice.between("likes", 1, 24) if answered else choice.between("likes", 18, 160)
    return Post(
        id=number,
        author=author,
        text=text,
        created=created,
        thread=answered.thread if answered else number,
        reply_to=answered.id if answered else "",
        language=language,
        likes=liked,
        reposts=liked * choice.between("reposts", 5, 30) // 100,
        replies=replies,
    )
