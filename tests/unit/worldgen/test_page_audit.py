"""What pages state, held against what the tools tell of the same moment, in replay alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.task import Task
from caia_replay.errors import CheckFailed
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld
from caia_worldgen.economy_world import audited_of
from caia_worldgen.page_audit import _CAP_ROUNDED, _LOOKUPS, _ROUNDED, FEWEST, _compare, audit_pages
from caia_worldgen.web.page import Claim, Kind, Status, WebPage
from tests.short_economy import SEED, ShortEconomy

pytestmark = pytest.mark.check
TASK: Any = SimpleNamespace(id="t")
MADE: Any = SimpleNamespace(page=SimpleNamespace(url="https://a.example/"))
TOO_FEW = rf"[1-9]\d* facts on pages could be looked up, {FEWEST} are wanted"


@pytest.fixture(scope="module")
def frozen(short_economy: ShortEconomy) -> Iterator[FrozenWorld]:
    """The built world, in replay."""
    with FrozenWorld(open_world(str(short_economy.report.world))) as world:
        yield world


@pytest.fixture(scope="module")
def tasks(frozen: FrozenWorld) -> list[Task]:
    """A task of each chain, the latest there is."""
    known = [frozen.folder.task(name) for name in frozen.folder.suite.active()]
    latest = {task.anchor.chain: task for task in sorted(known, key=lambda task: task.anchor.timestamp)}
    assert len(latest) == 2
    return list(latest.values())


def stated(
    value: Fraction | str, step: Fraction = Fraction(0), status: Status = "true", kind: Kind = "supply"
) -> Claim:
    """A claim by itself."""
    return Claim(kind, "coin", 0, "words", value, step, status)


@given(
    st.fractions(Fraction(1, 10**6), 10**12, max_denominator=10**6),
    st.fractions(0, 10**6, max_denominator=10**6),
    st.fractions(-2, 2, max_denominator=1_000),
    st.sampled_from(["supply", "price", "cap"]),
)
def test_half_a_step_of_rounding_passes_and_no_more(found: Fraction, step: Fraction, off: Fraction, kind: Kind) -> None:
    """True and stale claims agree within half a step beside what the tools round; exactly then a mistake is none."""
    slack = found * (_CAP_ROUNDED if kind == "cap" else _ROUNDED)
    value = found + off * (step / 2 + slack)
    for status, right in (("true", abs(off) <= 1), ("stale", abs(off) <= 1), ("mistaken", abs(off) > 1)):
        claim = stated(value, step, status, kind)  # type: ignore[arg-type]
        if right:
            _compare(TASK, MADE, claim, found)
        else:
            with pytest.raises(
                CheckFailed, match=rf"task t: https://a.example/ says 'words' of {kind} coin .*{status}"
            ):
                _compare(TASK, MADE, claim, found)


def test_texts_agree_letter_by_letter() -> None:
    """An address or a tag is right or wrong; a number is never a text."""
    _compare(TASK, MADE, stated("v1.2.0"), "v1.2.0")
    _compare(TASK, MADE, stated("v1.2.0", status="mistaken"), "v1.2.1")
    for claim, found in (
        (stated("v1.2.0"), "v1.2.1"),
        (stated("v1.2.0", status="mistaken"), "v1.2.0"),
        (stated(Fraction(1)), "another"),
        (stated("1"), Fraction(1)),
    ):
        with pytest.raises(CheckFailed, match="the tools say"):
            _compare(TASK, MADE, claim, found)


@pytest.mark.parametrize("kind", sorted(_LOOKUPS))
def test_every_kind_is_looked_up_and_a_changed_value_is_seen(
    short_economy: ShortEconomy, frozen: FrozenWorld, tasks: Sequence[Task], kind: Kind
) -> None:
    """A page's own claim is as the tools say; the same words with another value, or marked mistaken, are not."""
    made, claim = lookable(short_economy, frozen, tasks, kind)
    check(short_economy, frozen, tasks, made, claim, TOO_FEW)
    other: Fraction | str
    if isinstance(claim.value, str):
        other = claim.value[:-1] + ("1" if claim.value[-1] != "1" else "2")
    else:
        other = claim.value * Fraction(102, 100) + claim.step
    check(short_economy, frozen, tasks, made, replace(claim, value=other), f"of {kind} .* marked true; the tools say")
    check(short_economy, frozen, tasks, made, replace(claim, status="mistaken"), "marked mistaken; the tools say")
    check(short_economy, frozen, tasks, made, replace(claim, value=other, status="mistaken"), TOO_FEW)


def test_a_page_says_in_replay_what_it_was_written_to_say(
    short_economy: ShortEconomy, frozen: FrozenWorld, tasks: Sequence[Task]
) -> None:
    """Words that the recorded page has neither in its title nor in its text end the audit, whatever the tools say."""
    made, claim = lookable(short_economy, frozen, tasks, "supply")
    unsaid = replace(claim, words=f"{claim.words} and a bit")
    check(short_economy, frozen, tasks, made, unsaid, rf"{made.page.url} does not say '{claim.words} and a bit'")
    nowhere = replace(unsaid, subject="nobody")
    check(short_economy, frozen, tasks, made, nowhere, "does not say")


def test_what_cannot_be_asked_is_no_fact(
    short_economy: ShortEconomy, frozen: FrozenWorld, tasks: Sequence[Task]
) -> None:
    """A coin nobody knows, rumours, what is told on the web alone, and no claims at all: too few facts."""
    made, claim = lookable(short_economy, frozen, tasks, "supply")
    none = f"^0 facts on pages could be looked up, {FEWEST} are wanted"
    for odd in (replace(claim, subject="nobody"), replace(claim, status="rumour"), replace(claim, kind="round")):
        check(short_economy, frozen, tasks, made, odd, none)
    with pytest.raises(CheckFailed, match=none):
        audit_pages(frozen, tasks, [], short_economy.where, SEED, lambda *_: None)


def test_a_whole_audit_counts_what_it_looked_up(short_economy: ShortEconomy, frozen: FrozenWorld) -> None:
    """Every kind, each mistake among them, and progress to the last task; equal seeds ask the same."""
    every = audited_of([frozen.folder.task(name) for name in frozen.folder.suite.active()])
    steps: list[tuple[int, int]] = []
    told = audit_pages(frozen, every, short_economy.pages, short_economy.where, SEED, lambda *at: steps.append(at))
    assert told == short_economy.report.page_audit and told.total == sum(told.facts.values()) >= FEWEST
    assert steps == [(at, len(every)) for at in range(1, len(every) + 1)] and told.not_asked > 0
    doubled = [
        replace(made, claims=tuple(_mistaken(claim) if claim.kind == "price" else claim for claim in made.claims))
        for made in short_economy.pages
    ]
    again = audit_pages(frozen, every, doubled, short_economy.where, SEED, lambda *_: None)
    assert again.facts == told.facts and told.mistakes < again.mistakes <= told.mistakes + told.facts["price"]


def _mistaken(claim: Claim) -> Claim:
    assert isinstance(claim.value, Fraction)
    return replace(claim, value=2 * claim.value, status="mistaken") if claim.status == "true" else claim


def lookable(short: ShortEconomy, frozen: FrozenWorld, tasks: Sequence[Task], kind: Kind) -> tuple[WebPage, Claim]:
    """A page with a true claim of a kind that one of the tasks' worlds can be asked about."""
    for task in tasks:
        shown = {page.url for page in frozen.task(task).pages()}
        own = [(made, claim) for made in short.pages if made.page.url in shown
               for claim in made.claims if (claim.kind, claim.status) == (kind, "true")]  # fmt: skip
        for made, claim in own[:: max(1, len(own) // 10)]:
            try:
                audit_pages(frozen, [task], [replace(made, claims=(claim,))], short.where, SEED, lambda *_: None)
            except CheckFailed as few:
                if str(few).startswith("1 facts"):
                    return made, claim
    pytest.fail(f"no page states a {kind} that can be looked up")


def check(
    short: ShortEconomy, frozen: FrozenWorld, tasks: Sequence[Task], made: WebPage, claim: Claim, told: str
) -> None:
    """The audit of one page with one claim ends so."""
    with pytest.raises(CheckFailed, match=told):
        audit_pages(frozen, tasks, [replace(made, claims=(claim,))], short.where, SEED, lambda *_: None)
