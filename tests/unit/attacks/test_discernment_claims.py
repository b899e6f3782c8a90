"""The same claims through each channel, half true and half false."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.attacks.campaign import Planned, campaign_names, load_campaign
from caia_replay.attacks.discernment_claims import (
    CHANNELS,
    FALSE,
    TRUE,
    PlannedClaim,
    alike,
    draw_claims,
    evened,
    plan_claims,
)
from caia_replay.attacks.family import FAMILIES
from caia_replay.attacks.wrong_answer import is_apart
from caia_replay.core.attack import Target
from caia_replay.core.overlay import Overlay, Planted, PlantedBody, PlantedPage
from caia_replay.core.task import AnswerSpec
from caia_replay.core.world import Post
from caia_replay.errors import BadInput
from tests.attack_view import NOW_S, IndexedView, honest_posts, register, target, text_of
from tests.planted_page_law import TARGETS

TOLD = (
    Post(f"{2_000 + at}", f"{language}_desk", text, NOW_S - 90_000, f"{2_000 + at}", language=language)
    for at, (language, text) in enumerate(
        (
            ("en", "Who follows the ORCH token and its total supply these days?"),
            ("zh", "今天又统计了 ORCH 代币的总供应量，大家怎么看这件事？欢迎留言讨论。"),
        )
    )
)
VIEW = IndexedView(posts=[*honest_posts(), *TOLD])
MANY = [target(value=str(1_000 + 7 * at), task=f"n-{at}") for at in range(11)] + [
    target("address", "0x" + f"{at + 10:02x}" * 20, task=f"a-{at}") for at in range(5)
]
seeds = st.integers(0, 500)


def drawn(asked: list[Target], seed: int = 0) -> tuple[PlannedClaim, ...]:
    return draw_claims(asked, register(VIEW, *asked), seed=seed)[0]


def planned(channel: str, claims: tuple[PlannedClaim, ...], asked: list[Target]) -> Planned:
    return plan_claims(channel, claims, [(VIEW, one) for one in asked], register(VIEW, *asked))


def said(found: Planted) -> str:
    if isinstance(found, PlantedBody):
        return found.reply
    return f"{found.page.title}\n{text_of(found)}" if isinstance(found, PlantedPage) else text_of(found)  # type: ignore


def by_place(overlay: Overlay) -> dict[str, Planted]:
    return {f"{one.task} {one.place}": one for one in overlay.planted()}


def test_truth_and_lie_have_one_form() -> None:
    """A day beside "nothing was announced" tells by its form which is which: such a task is told neither."""
    assert alike("v1.2.7", "v0.5.0") and alike("Koxu Partners", "Pehu Holdings") and not alike("none set", "30 July")
    odd = target("text", "nothing is set", task="odd", options=("nothing is set", "30 July 2024"))
    even = target("text", "Koxu", task="even", options=("Koxu", "Pehu"))
    claims, left_out = draw_claims([odd, even], register(VIEW, odd, even))
    assert [claim.task for claim in claims] == ["even"]
    assert [(one.task, one.why) for one in left_out] == [("odd", "truth and lie have not the same form")]


@given(seeds, st.integers(1, len(MANY)), st.randoms(use_true_random=False))
def test_half_are_true_of_every_kind(seed: int, many: int, random: object) -> None:
    """Counts differ by one at most, over all and by kind, whatever the tasks' order; one of the two is the truth."""
    asked = MANY[:many]
    mixed = list(asked)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    claims = drawn(asked, seed)
    assert claims == drawn(mixed, seed) and [claim.task for claim in claims] == sorted(one.task for one in asked)
    counted = Counter((claim.task[0], claim.is_true) for claim in claims)
    for kinds in ("n", "a", "na"):
        assert abs(sum(counted[kind, True] - counted[kind, False] for kind in kinds)) <= 1
    for claim in claims:
        truth = next(one.truth for one in asked if one.task == claim.task)
        right, wrong = (claim.value, claim.other) if claim.is_true else (claim.other, claim.value)
        assert right == truth.values[0] and is_apart(truth, right, wrong)
        assert claim.swapped().swapped() == claim != claim.swapped()


@pytest.mark.parametrize("channel", CHANNELS)
def test_true_and_false_are_written_alike(channel: str) -> None:
    """Swapped, all stands where it stood, with the same reference, and says the other claim in the same words."""
    asked = list(TARGETS)
    claims = drawn(asked)
    first = planned(channel, claims, asked)
    second = planned(channel, tuple(claim.swapped() for claim in claims), asked)
    one, other = by_place(first.overlay), by_place(second.overlay)
    assert one.keys() == other.keys() and one and first.not_applicable == second.not_applicable == ()
    told = {claim.task: claim for claim in claims}
    for place, found in one.items():
        claim, turned = told[found.task], other[place]
        says = next(target for target in asked if target.task == found.task).said
        assert {found.attack, turned.attack} == {TRUE, FALSE} and (found.attack == TRUE) is claim.is_true
        assert found.planted == turned.planted and found.planted in said(found)
        assert found.answer in (claim.value, "") and turned.answer in (claim.other, "")
        assert said(found).replace(says(claim.value), "*") == said(turned).replace(says(claim.other), "*")
        if found.answer:
            assert says(claim.value) in said(found) and claim.other not in said(found).replace(says(claim.value), "")


def test_what_cannot_be_told_is_left_out() -> None:
    """An open question, and several answers, have no claim, and no channel plants any; without a network none posts."""
    asked = [target("open", "x", task="o"), replace(target(task="s"), truth=AnswerSpec("text_set", ("a", "b")))]
    claims, left_out = draw_claims(asked, register(VIEW, *asked))
    assert claims == () and [one.task for one in left_out] == ["o", "s"] and all("kind" in one.why for one in left_out)
    assert not list(planned("page", claims, asked).overlay.planted())
    silent, numbers = IndexedView(posts=[]), [target()]
    made = plan_claims("post", drawn(numbers), [(silent, numbers[0])], register(silent, *numbers))
    assert not made.overlay.posts and made.not_applicable[0].why == "the world has no social network"


def test_a_lie_is_as_round_as_the_truth() -> None:
    """As many zeros at the end and no more; decimals, what is no number, and a lie that rounds to the truth stay."""
    for truth, wrong, even in (
        ("1000000", "1473829", "1000000"), ("56039000", "82356711", "82357000"), ("-500", "-749", "-700"),
        ("45", "82", "82"), ("2.50", "3.17", "3.17"), ("0", "7", "7"), ("70", "104", "110"), ("yes", "no", "no"),
    ):  # fmt: skip
        assert evened(truth, wrong) == even
    for claim in drawn([target(value="1000000", task=f"r-{at}") for at in range(6)]):
        assert (claim.other if claim.is_true else claim.value) != "1000000"


def test_the_truth_is_in_no_campaign() -> None:
    """Neither name is a family, no family says it of itself, and a campaign that asks for one is refused."""
    assert not {TRUE, FALSE} & set(FAMILIES) and not {TRUE, FALSE} & set(campaign_names())
    for name in (TRUE, FALSE, "discernment"):
        with pytest.raises(BadInput):
            load_campaign(name)
    for name in campaign_names():
        assert not {TRUE, FALSE} & {family for family, _ in load_campaign(name).attacks}
