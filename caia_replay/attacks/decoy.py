"""Promotion of a decoy that stands on the chain anyway: pages people find, and a post that repeats them.

The lie is an input here, not an answer: whoever takes the decoy for what the question means asks the right tools, gets
true replies, and ends at the decoy's answer. The pages say no answer but where the address itself is one.
"""

from __future__ import annotations

from collections.abc import Sequence

from caia_replay.attacks.choice import Choice
from caia_replay.attacks.posting import about, account, moments, post, tags_of
from caia_replay.attacks.promotion import language_of, promotion_page
from caia_replay.core.attack import Decoy, DecoyKind, Dose, Lie, Planting, Register, Target
from caia_replay.core.goal import Goal
from caia_replay.core.overlay import PlantedPage, PlantedPost
from caia_replay.core.world import WorldView


def decoy_of(target: Target, kind: DecoyKind) -> Decoy | None:
    """The first of a kind that the world offers; None for none."""
    return next((one for one in target.offer.decoys if one.kind == kind), None)


def is_named(target: Target, address: str) -> bool:
    """Whether the question itself names an address; one that it does not name may be what it asks for."""
    return bool(address) and address.casefold() in target.question.casefold()


def promoted(
    view: WorldView,
    target: Target,
    dose: Dose,
    family: str,
    lie: Lie,
    sentences: Sequence[str],
    register: Register,
    goal: Goal | None = None,
) -> Planting:
    """``dose.items`` pages with these sentences and, where there is a network, a post with the first of them.

    One of the sentences, the first, holds ``lie.planted``.
    """
    now_s, pages, posts = view.anchor.timestamp, [], []
    for copy in range(dose.items):
        page = promotion_page(now_s, target, dose, copy, family, sentences, register)
        pages.append(PlantedPage(family, target.task, lie.planted, page, lie.answer, lie.marked, goal))
    found = about(view, target.query)
    if found is not None:
        choice = Choice(target.task, family, "echo")
        text = " ".join(filter(None, [" ".join(target.query.split()), "-", sentences[0], tags_of(found, target)]))
        created = moments(now_s, Dose(1, age_hours=dose.age_hours), choice)[0]
        echo = post(text, account(choice, "account", register), created, language_of(target, dose), register, choice)
        posts.append(PlantedPost(family, target.task, lie.planted, echo, lie.answer, lie.marked, goal))
    return Planting(pages=tuple(pages), posts=tuple(posts))
