"""A small social network for tests, drawn by lot from a name: threads, mentions, tags, ids out of order, gaps."""

from __future__ import annotations

from caia_replay.core.world import Post
from caia_worldgen.rng import Rng
from caia_worldgen.services.x_api_body import User

BEGIN = 1_714_521_600
DAY_S = 86_400
DAYS = 60
END = BEGIN + DAYS * DAY_S
_TALK = "vault rates moved again today after the vote and nobody was told why the pool is dry"
_CHINESE = ("今天金库的利率又变了", "投票之后没有人说明原因")


def draw_users(name: str, count: int = 14) -> list[User]:
    """The last but one writes nothing, the last comes late in the story."""
    rng = Rng(f"{name}/users")
    return [
        User(
            handle=f"{rng.one(('Ada', 'bo', 'Cy', 'dee'))}_{number}",
            name=f"Somebody {number}",
            bio="" if rng.happens(20) else f"Watches pool {number}. 只看数据",
            created=END - 10 * DAY_S if number == count - 1 else BEGIN - rng.number(1, 900) * DAY_S,
            verified=rng.happens(30),
            followers=rng.number(0, 90_000),
            following=rng.number(0, 900),
        )
        for number in range(count)
    ]


def draw_posts(name: str, users: list[User], count: int = 1_500) -> list[Post]:
    """Some answer posts that nobody wrote; some share a second; the ids of some are out of order."""
    rng = Rng(f"{name}/posts")
    made: list[Post] = []
    for number in range(count):
        writers = [user for user in users[:-2] if rng.happens(60)] or users[:1]
        author = rng.one(writers[:3] if rng.happens(40) else writers)
        created = BEGIN + number * (END - BEGIN - DAY_S) // count
        if made and rng.happens(10):
            created = made[-1].created
        shifted = (created * 1_000 - 1_288_834_974_657) << 22
        own = shifted + number if rng.happens(95) else rng.number(10**14, 8 * 10**15) * 1_000 + number % 1_000
        answered = rng.one(made[-40:]) if made and rng.happens(35) else None
        reply_to = answered.id if answered else str(number + 7) if rng.happens(4) else ""
        thread = answered.thread if answered else str(number + 3) if reply_to else str(own)
        language = rng.one(("en", "en", "zh", ""))
        made.append(
            Post(str(own), author.handle, _text(rng, users, language), created, thread, reply_to, language,
                 rng.number(0, 900), rng.number(0, 90), rng.number(0, 40))
        )  # fmt: skip
    return made


def _text(rng: Rng, users: list[User], language: str) -> str:
    words = [rng.one(_CHINESE)] if language == "zh" else [rng.one(_TALK.split()) for _ in range(rng.number(3, 12))]
    extra = (
        (35, f"@{rng.one(users).handle}"), (8, "@nobody_here"), (20, rng.one(("#defi", "#金库"))), (20, "$VLT"),
        (15, f"https://example.org/notes/{rng.number(1, 99)}?a=#b"),
    )  # fmt: skip
    words += [word for percent, word in extra if rng.happens(percent)]
    return " ".join(words)
