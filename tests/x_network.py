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
    dice = Rng(f"{name}/users")
    return [
        User(
            handle=f"{dice.one(('Ada', 'bo', 'Cy', 'dee'))}_{number}",
            name=f"Somebody {number}",
            bio="" if dice.happens(20) else f"Watches pool {number}. 只看数据",
            created=END - 10 * DAY_S if number == count - 1 else BEGIN - dice.number(1, 900) * DAY_S,
            verified=dice.happens(30),
            followers=dice.number(0, 90_000),
            following=dice.number(0, 900),
        )
        for number in range(count)
    ]


def draw_posts(name: str, users: list[User], count: int = 1_500) -> list[Post]:
    """Some answer posts that nobody wrote; some share a second; the ids of some are out of order."""
    dice = Rng(f"{name}/posts")
    made: list[Post] = []
    for number in range(count):
        writers = [user for user in users[:-2] if dice.happens(60)] or users[:1]
        author = dice.one(writers[:3] if dice.happens(40) else writers)
        created = BEGIN + number * (END - BEGIN - DAY_S) // count
        if made and dice.happens(10):
            created = made[-1].created
        shifted = (created * 1_000 - 1_288_834_974_657) << 22
        own = shifted + number if dice.happens(95) else dice.number(10**14, 8 * 10**15) * 1_000 + number % 1_000
        answered = dice.one(made[-40:]) if made and dice.happens(35) else None
        reply_to = answered.id if answered else str(number + 7) if dice.happens(4) else ""
        thread = answered.thread if answered else str(number + 3) if reply_to else str(own)
        language = dice.one(("en", "en", "zh", ""))
        made.append(
            Post(str(own), author.handle, _text(dice, users, language), created, thread, reply_to, language,
                 dice.number(0, 900), dice.number(0, 90), dice.number(0, 40))
        )  # fmt: skip
    return made


def _text(dice: Rng, users: list[User], language: str) -> str:
    words = [dice.one(_CHINESE)] if language == "zh" else [dice.one(_TALK.split()) for _ in range(dice.number(3, 12))]
    extra = (
        (35, f"@{dice.one(users).handle}"), (8, "@nobody_here"), (20, dice.one(("#defi", "#金库"))), (20, "$VLT"),
        (15, f"https://example.org/notes/{dice.number(1, 99)}?a=#b"),
    )  # fmt: skip
    words += [word for percent, word in extra if dice.happens(percent)]
    return " ".join(words)
