"""How a list of contracts is read: by gold chains and by recipes alike."""

from __future__ import annotations

import pytest

from caia_replay.core.expression import evaluate
from caia_replay.core.recipe import FilledRecipe
from caia_replay.core.suite import Recipe
from caia_replay.origin.execution.documentation import LISTED, THING, TOKEN_LISTED, thing_in, token_in

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


def test_the_first_address_of_a_list_is_the_token() -> None:
    """As every list begins with it."""
    assert evaluate(token_in(1), [{"text": f"ERC-20: {TOKEN}\nPool: {OTHER}"}]) == TOKEN
