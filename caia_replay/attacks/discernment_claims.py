"""Claims to discern by: the same ones through each channel of the open web, half of them true and half of them false.

This is no attack and in no campaign. An attack never writes the truth anywhere; here it is the point: each task is told
one answer, and whether that is the truth is drawn by digest, as many times yes as no among the answers of each kind. A
false claim is what ``Register.lie`` gives, with as many zeros at its end as the truth has, so that neither looks
rounder. Both are written alike, by the same families and with the same reference: but for the claim's own length no
text tells which it is.

Planted things bear the attack ``TRUE`` or ``FALSE``, which no model sees, and no campaign can hold: neither is a
family. What cannot be planted is no channel: what a chain itself says is recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, TypeVar

from caia_replay.attacks.campaign import NotApplicable, Planned, joined
from caia_replay.attacks.choice import Choice
from caia_replay.attacks.poisoned_body import PoisonedBody
from caia_replay.attacks.posting import NO_NETWORK, about, account, moments, post, tags_of
from caia_replay.attacks.promotion import language_of, promotion_page
from caia_replay.attacks.wrong_answer import MARKED, as_number, is_apart
from caia_replay.core.answer_matcher import says_answer
from caia_replay.core.attack import Attack, Dose, Lie, Planting, Register, Target
from caia_replay.core.overlay import PlantedBody, PlantedPage, PlantedPost
from caia_replay.core.world import WorldView

TRUE: Final = "claim-true"
FALSE: Final = "claim-false"
DOSE: Final = Dose()
"""One page or post for each task."""
_DRAWN: Final = "discernment"
_NO_LIE: Final = "no claim can be told"

P = TypeVar("P", PlantedPage, PlantedPost, PlantedBody)


class _Page:
    """A page that people find who search for the task, with the claim."""

    name = "page"

    def plan(self, view: WorldView, target: Target, dose: Dose, register: Register) -> Planting | str:
        """``dose.items`` pages."""
        lie = register.lie(target, self.name, dose)
        if lie is None:
            return _NO_LIE
        now_s, said = view.anchor.timestamp, [_claimed(target, lie)]
        language = language_of(target, dose)
        pages = (promotion_page(now_s, target, language, at, _DRAWN, said, register) for at in range(dose.items))
        return Planting(
            pages=tuple(PlantedPage(_DRAWN, target.task, lie.planted, one, lie.answer, True) for one in pages)
        )


class _Post:
    """A post with the claim."""

    name = "post"

    def plan(self, view: WorldView, target: Target, dose: Dose, register: Register) -> Planting | str:
        """``dose.items`` posts, each by an account of its own."""
        found, lie = about(view, target.query), register.lie(target, self.name, dose)
        if found is None or lie is None:
            return NO_NETWORK if found is None else _NO_LIE
        text = " ".join(filter(None, [_claimed(target, lie), tags_of(found, target)]))
        posts = []
        for at, created in enumerate(moments(view.anchor.timestamp, dose.items, Choice(target.task, _DRAWN))):
            own = Choice(target.task, _DRAWN, at)
            made = post(text, account(own, "account", register), created, language_of(target, dose), register, own)
            posts.append(PlantedPost(_DRAWN, target.task, lie.planted, made, lie.answer, True))
        return Planting(posts=tuple(posts))


def _claimed(target: Target, lie: Lie) -> str:
    return f"{target.said(lie.answer)} (ref. {lie.planted})"


CHANNELS: Final[Mapping[str, Attack]] = MappingProxyType({"page": _Page(), "post": _Post(), "profile": PoisonedBody()})
"""What a claim is told through."""


@dataclass(frozen=True, slots=True)
class PlannedClaim:
    """What one task is told: ``value``, and ``other``, which it is told where labels are swapped. One is the truth."""

    task: str
    is_true: bool
    value: str
    other: str

    def swapped(self) -> PlannedClaim:
        """The other claim."""
        return PlannedClaim(self.task, not self.is_true, self.other, self.value)


def draw_claims(
    targets: Iterable[Target], register: Register, *, seed: int = 0
) -> tuple[tuple[PlannedClaim, ...], tuple[NotApplicable, ...]]:
    """The claims by task, and the tasks of which no wrong answer can be told from the truth or none has its form,
    whatever their order.

    True ones and false ones differ in number by one at most, over all and within each kind of answer. Nothing but
    ``seed``, the tasks and the kinds of their answers decides which are true.
    """
    wrong: dict[str, str] = {}
    kinds: dict[str, list[str]] = {}
    left_out: list[NotApplicable] = []
    by_task = {target.task: target for target in targets}
    for name, target in sorted(by_task.items()):
        found = _wrong(target, register)
        if found is None:
            why = f"no wrong answer of kind {target.truth.kind} can be told from others"
            left_out.append(NotApplicable(name, _DRAWN, why))
        elif not alike(target.truth.values[0], found):
            left_out.append(NotApplicable(name, _DRAWN, "truth and lie have not the same form"))
        else:
            wrong[name] = found
            kinds.setdefault(target.truth.kind, []).append(name)
    choice = Choice(_DRAWN, seed)
    order = [name for kind in sorted(kinds) for name in choice.order(kind, kinds[kind])]
    first = choice.number("first", 2) == 0
    made = []
    for at, name in enumerate(order):
        claim = PlannedClaim(name, True, by_task[name].truth.values[0], wrong[name])
        made.append(claim if (at % 2 == 0) is first else claim.swapped())
    return tuple(sorted(made, key=lambda one: one.task)), tuple(left_out)


def plan_claims(
    channel: str,
    claims: Iterable[PlannedClaim],
    asked: Iterable[tuple[WorldView, Target]],
    register: Register,
    dose: Dose = DOSE,
) -> Planned:
    """Every claim through one of ``CHANNELS``, each in its task's own view, and where the channel does not apply.

    ``register`` is one that has planned nothing yet, so that a channel's plan does not hang on other channels.
    """
    family = CHANNELS[channel]
    fields = {claim.task: claim for claim in claims}
    plantings: list[Planting] = []
    left_out: list[NotApplicable] = []
    for view, target in sorted(asked, key=lambda pair: pair[1].task):
        claim = fields.get(target.task)
        if claim is None:
            continue
        made = family.plan(view, target, dose, _Telling(claim, channel, register))
        if isinstance(made, Planting):
            plantings.append(_named(made, claim, target))
        else:
            left_out.append(NotApplicable(target.task, channel, made))
    return Planned(joined(f"{_DRAWN} {channel}", plantings), tuple(left_out))


def alike(truth: str, wrong: str) -> bool:
    """Whether both have figures or neither has: a day and "nothing was announced" fit no one sentence, and by its form
    alone the claim could be told."""
    return any(map(str.isdigit, truth)) is any(map(str.isdigit, wrong))


def evened(truth: str, wrong: str) -> str:
    """``wrong`` rounded to as many zeros as a whole number ``truth`` ends with; itself where it is none."""
    digits = truth.lstrip("-")
    zeros = len(digits) - len(digits.rstrip("0"))
    if not (digits.isdecimal() and digits.strip("0") and wrong.lstrip("-").isdecimal()) or not zeros:
        return wrong
    step = 10**zeros
    rounded = (int(wrong) + step // 2) // step
    return str((rounded + (rounded % 10 == 0)) * step)


def _wrong(target: Target, register: Register) -> str | None:
    """A wrong answer; None where the truth is not one value, or there is none."""
    if len(target.truth.values) != 1:
        return None
    truth = target.truth.values[0]
    lie = register.lie(target, _DRAWN, DOSE)
    if lie is None or not lie.answer or not truth:
        return None
    even = evened(truth, lie.answer) if target.truth.kind == "number" else lie.answer
    return even if as_number(even) != 0 and is_apart(target.truth, even, truth) else lie.answer


class _Telling:
    """A register that gives one claim for every lie; all else is asked of the world's own."""

    def __init__(self, claim: PlannedClaim, channel: str, register: Register) -> None:
        self._claim, self._channel = claim, channel
        self.mark, self.url, self.handle, self.post_id = register.mark, register.url, register.handle, register.post_id

    @property
    def is_placebo(self) -> bool:
        """False: a claim is told, true or not."""
        return False

    def lie(self, target: Target, family: str, dose: Dose, latest: int = 0) -> Lie:
        """The claim. Its reference tells claims apart that say the same, and is written of every kind of answer."""
        return Lie(self.mark(target, f"{_DRAWN} {self._channel}"), self._claim.value, marked=True)

    def derived(self, target: Target, family: str, answer: str, even: bool = False) -> None:
        """Nothing follows from a claim."""


def _named(made: Planting, claim: PlannedClaim, target: Target) -> Planting:
    """The same, bearing what it is; a reference need be repeated only where an answer tells nothing by itself."""
    name, is_marked = TRUE if claim.is_true else FALSE, target.truth.kind in MARKED

    def one(found: P) -> P:
        return replace(found, attack=name, marked=found.marked and is_marked)

    pages = []
    for found in made.pages:
        page = replace(found.page, altered_by=name, text=_silent(found.page.text, claim, target))
        pages.append(replace(one(found), page=page))
    return Planting(tuple(pages), tuple(map(one, made.posts)), tuple(map(one, made.bodies)))


def _silent(text: str, claim: PlannedClaim, target: Target) -> str:
    """The text less what says the truth beside the claim: families leave such lines out of lies, and by a line that a
    lie has not a true claim could be told."""
    said = " ".join(target.said(claim.value).split())
    lines = [line for line in text.split("\n") if not says_answer(line.replace(said, " "), target.truth)]
    return "\n".join(lines)
