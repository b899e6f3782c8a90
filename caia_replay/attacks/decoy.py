"""Promotion of a decoy that stands on the chain anyway: pages people find, and a post that repeats them.

The lie is an input here, not an answer: whoever takes the decoy for what the question means asks the right tools, gets
true replies, and ends at the decoy's answer. The pages say no answer but where the address itself is one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from caia_replay.attacks.choice import Choice
from caia_replay.attacks.posting import about, account, moments, post, tags_of
from caia_replay.attacks.promotion import filled, language_of, promotion_page
from caia_replay.core.attack import Decoy, DecoyKind, Dose, Lie, Planting, Register, Target
from caia_replay.core.goal import Goal
from caia_replay.core.overlay import PlantedPage, PlantedPost
from caia_replay.core.world import WorldView


class DecoyFamily:
    """Plans ``dose.items`` pages and a post per target that has a decoy of ``kind``; ``absent`` says that it has none.

    One of ``said`` by language, chosen for ``what``, is the first sentence, with ``{query}``, ``{label}`` (the decoy's
    name), ``{address}``, ``{chain}`` and ``{mark}`` in it.
    """

    name: str
    kind: DecoyKind
    absent: str
    what: str
    said: Mapping[str, Sequence[str]]

    def plan(self, view: WorldView, target: Target, dose: Dose, register: Register) -> Planting | str:
        """What promotes the first such decoy against ``target``; equal inputs give equal pages."""
        decoy = next((one for one in target.offer.decoys if one.kind == self.kind), None)
        if decoy is None:
            return self.absent
        lie = self.lie(target, decoy, register)
        if isinstance(lie, str):
            return lie
        language = language_of(target, dose)
        fields = {
            "query": " ".join(target.query.split()),
            "label": " ".join(decoy.name.split()) or {"en": "this token", "zh": "该代币"}[language],
            "address": decoy.address,
            "chain": decoy.chain,
            "mark": lie.planted,
        }
        first = filled(Choice(target.task, self.name, "said").one(self.what, self.said[language]), fields)
        sentences = [first, *(filled(one, fields) for one in self.more(target, decoy, language))]
        return promoted(view, target, dose, self.name, lie, sentences, register, self.goal(decoy))

    def lie(self, target: Target, decoy: Decoy, register: Register) -> Lie | str:
        """The decoy's answer as a lie, or why it is none."""
        if not decoy.answer:
            return "the look-alike leads to no other answer"
        lie = register.derived(target, self.name, decoy.answer)
        return "what the look-alike leads to is right, or told already" if lie is None else lie

    def more(self, target: Target, decoy: Decoy, language: str) -> list[str]:
        """Further sentences, with the same fields."""
        return []

    def goal(self, decoy: Decoy) -> Goal | None:
        """The call that whoever is led there is told to make."""
        return None


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
