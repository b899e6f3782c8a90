from __future__ import annotations

from caia_replay.core.attack import Offer, target_of
from caia_replay.core.gold import GoldChain
from caia_replay.core.task import Anchor, AnswerSpec, Task


def test_a_target_is_its_task_and_what_the_world_offers() -> None:
    """The question unchanged, the truth to stay away from, and a claim that any answer can be put into."""
    task = Task(
        "t", "How many?", "overlap", "en", "count", Anchor("c", 1, 2), AnswerSpec("number", ("5",)), GoldChain((), "5"),
        "1", "why", project="p",
    )  # fmt: skip
    target = target_of(task, Offer("t", "how many", "There are {planted} of them, {planted}."))
    assert (target.question, target.truth.values, target.project, target.query) == (
        "How many?",
        ("5",),
        "p",
        "how many",
    )
    assert target.said("9") == "There are 9 of them, 9."
