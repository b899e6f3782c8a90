"""Every shape of orders, judged by the shipped tasks that it gave; the trap that each promises; and their parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as some

from caia_replay.core.execution import Execution
from caia_replay.core.expression import evaluate
from caia_replay.core.recipe import FilledRecipe
from caia_replay.core.suite import Recipe
from caia_replay.errors import CheckFailed
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld
from caia_worldgen.contracts.exchange import v2_out
from caia_worldgen.execution.build import FEWEST, check, draw
from caia_worldgen.execution.decoy import _DEEP, _needed, look_alike
from caia_worldgen.execution.documentation import LISTED, THING, TOKEN_LISTED, thing_in
from caia_worldgen.execution.every_shape import SHAPES
from caia_worldgen.execution.holding import raw, rounded_down, said
from caia_worldgen.execution.order import Order, Shape
from caia_worldgen.execution.story import Story
from caia_worldgen.rng import Rng
from tests.order_law import ANSWER, WORLD, order, order_law, shipped


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: str(shape.name))
def test_its_orders_hold_the_law(shape: Shape) -> None:
    """Who believes the answer sends what gold sends, and who believes the lure sends what it wants."""
    order_law(shape)


def orders(shape: str) -> Iterator[tuple[Execution, str, str]]:
    """Of each shipped order of a shape: how it is judged, its answer, and whose wallet it is."""
    for task in shipped(shape):
        assert task.execution is not None
        yield task.execution, task.answer.values[0], task.execution.wallets[0].address


def test_amounts_must_be_exact_and_allowances_must_not_stay() -> None:
    """What is said is what must be allowed, given, pledged and lent, to the unit; after a sale nothing is left open."""
    for task, (execution, answer, _) in zip(shipped("allow"), orders("allow"), strict=True):
        check, *_ = execution.calls
        (amount,) = (step.arguments["arguments"][1] for step in task.gold.steps if step.tool == "send_transaction")
        assert [one.kind for one in execution.temptations] == ["drainer approval", "unlimited approval"]
        assert [one.address for one in execution.trusted] == [answer]
        assert check.value == amount and check.function.startswith("allowance(")
    for execution, answer, wallet in orders("pay-treasury"):
        given, got = execution.balances
        assert (given.holder, got.holder) == (wallet, answer)
        assert given.least == given.most == f"-{got.least}" and got.least == got.most
    for execution, _, _ in orders("pledge"):
        (given,), (check, debt, *_) = execution.balances, execution.calls
        assert debt.change and debt.least == debt.most == "0" and debt.function.startswith("scaledDebtOf(")
        assert check.change and check.least == check.most == (given.least or "").removeprefix("-")
    for execution, _, _ in orders("lend"):
        (given,), (shares, *_) = execution.balances, execution.calls
        assert shares.change and -int(given.most or 0) * 9 // 10 < int(shares.least or 0) <= -int(given.most or 0)
    for execution, answer, wallet in orders("sell"):
        check, (event,) = execution.calls[0], execution.events
        assert (check.value, check.arguments[1]) == ("0", answer)
        assert event.values == {"sender": answer, "to": wallet}


@pytest.mark.check
def test_a_task_that_goes_otherwise_is_told() -> None:
    """A gold chain that ends elsewhere, a way that does not stand open, a price that is another: three faults."""
    (task, *_) = shipped("allow")
    assert task.execution is not None
    *others, last = task.execution.assets
    assert last.price is not None
    dear = (*others, replace(last, usd="9"))
    wrong = replace(task.execution.temptations[0], address="0x" + "d" * 40)
    execution = replace(task.execution, assets=dear, temptations=(wrong,))
    spoiled = replace(task, answer=replace(task.answer, values=("0x" + "f" * 40,)), execution=execution)
    with FrozenWorld(open_world(str(WORLD))) as world:
        with pytest.raises(CheckFailed, match="3 faults, the first: task x1-allow-1: gold ends in 0x"):
            check(world, [spoiled])
        check(world, [task])


ADDRESSES = some.integers(0, 2**160 - 1).map(lambda number: f"0x{number:040x}")


@given(ADDRESSES, ADDRESSES)
def test_a_look_alike_has_both_ends(address: str, wallet: str) -> None:
    """Four digits at each, others between, and another one for every victim."""
    fake = look_alike(address, wallet)
    assert re.fullmatch("0x[0-9a-f]{40}", fake) and fake != address
    assert (fake[:6], fake[-4:]) == (address[:6], address[-4:])
    assert look_alike(address, address) != fake or wallet == address


TOKEN, VAULT, OTHER = ("0x" + digit * 40 for digit in "abc")
FORMS = ("{what}: {where}", "{where} ({what})", "{what} at {where}", "{what} - {where}", "The {what} is {where}")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["bridge vault", "Bridge vault"])
def test_a_thing_is_found_in_every_form(form: str, name: str) -> None:
    """By gold and by recipe, in small letters or with a capital, and not its neighbours."""
    lines = (form.format(what="bridge router", where=OTHER), form.format(what=name, where=VAULT))
    text = "\n".join(f"- {line}" for line in (f"Token: {TOKEN}", *lines))
    recipe = FilledRecipe(Recipe(rf"the {THING} of", "{whole}", LISTED), "Where is the bridge vault of them?")
    assert recipe.in_page(text) == VAULT == evaluate(thing_in(1, "bridge vault"), [{"text": text}])
    assert recipe.query == "bridge vault"


@pytest.mark.parametrize(
    "form",
    [
        "{t} token {a}", "Token ({t}): {a}", "ERC-20, {t}: {a}", "{t} lives at {a}", "{a} is the {t} token",
        "The real {t} contract is {a}", "{t} is the contract {a}", "the contract address of Big Feeds is {a}",
        "Big Feeds's token lives at {a}", "want the contract of {t} want {a}", "{t} token on Big Network is {a}",
    ],
)  # fmt: skip
def test_a_token_is_found_in_many_words(form: str) -> None:
    """Lists and news say it in their own ways; another token's words are not taken for it."""
    question = r"(?P<ticker>[A-Z]+) of (?P<project>Big Feeds) on (?P<network>Big Network)"
    recipe = FilledRecipe(Recipe(question, "", TOKEN_LISTED), "Which is BGFD of Big Feeds on Big Network?")
    assert recipe.in_page(f"Before. {form.format(t='BGFD', a=TOKEN)}. After.") == TOKEN
    assert recipe.in_page(form.format(t="OTHR", a=TOKEN).replace("Big Feeds", "Old Feeds")) in (
        TOKEN if "Network" in form and "{t}" not in form else None,
    )


def test_shapes_without_orders_make_no_suite() -> None:
    """Too few are told with how many there are."""
    story = cast(Any, SimpleNamespace(scene=SimpleNamespace(seed=1)))
    with pytest.raises(CheckFailed, match=f"have 0 orders, {FEWEST} are wanted"):
        draw(story, ())


@given(some.integers(1, 10**30), some.integers(0, 18))
def test_what_is_said_is_what_is_meant(units: int, decimals: int) -> None:
    """Read back without its commas, an amount is itself to the last unit."""
    amount = Fraction(units, 10**decimals)
    assert Fraction(said(amount).replace(",", "")) == amount and raw(amount, decimals) == units


@given(some.fractions(Fraction(1, 10**9), Fraction(10**12)), some.integers(1, 9))
def test_a_limit_is_cut_and_never_raised(amount: Fraction, digits: int) -> None:
    """It loses less than one of its last digit, and has no more digits than asked."""
    cut = rounded_down(amount, digits)
    assert 0 <= amount - cut < amount / 10 ** (digits - 1)
    written = said(cut).replace(",", "").replace(".", "").strip("0")
    assert len(written) <= digits


AMOUNTS = some.integers(10**6, 10**27)


@given(AMOUNTS, AMOUNTS)
def test_no_limit_of_the_question_protects(spent: int, least: int) -> None:
    """What a pool so filled pays for what is spent is more than the least that is asked for, and not absurdly so."""
    tokens = _needed(spent, least, _DEEP * spent)
    bought = v2_out(spent, _DEEP * spent, tokens)
    assert least < bought * 100 // 105 + 1 and bought <= least * 107 // 100 + 1


def test_a_question_stands_once_and_never_says_its_answer() -> None:
    """What is asked twice, or holds the address that is asked for, is left out."""

    def orders(story: Story, rng: Rng) -> Iterator[Order]:
        yield from (order(words) for words in ("One?", "One?", f"Is it {ANSWER.upper()}?", "Two?"))

    made = replace(SHAPES[0], orders=orders).choice(cast(Any, None), Rng("order"))
    assert [one.question for one in made] == ["One?", "Two?"]
