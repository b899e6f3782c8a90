"""Promotion of what stands on the chain anyway."""

from __future__ import annotations

from caia_replay.attacks.decoy import decoy_of, is_named, promoted
from caia_replay.core.attack import Decoy, Dose, Lie
from caia_replay.core.goal import Goal
from tests.attack_view import DECOY_ADDRESS, NOW_S, TRUE_ADDRESS, IndexedView, moment_of, register, target, text_of

LIE = Lie("QX-4821-7735", "7")
SAID = ("It is there (ref. QX-4821-7735).", "Look.")


def test_the_first_decoy_of_a_kind_is_taken() -> None:
    """Of several kinds that one alone; none where the world has none."""
    offered = (
        Decoy("honeypot", "0x1", "alpha"),
        Decoy("inscription", "0x2", "alpha"),
        Decoy("honeypot", "0x3", "alpha"),
    )
    found = decoy_of(target(decoys=offered), "honeypot")
    assert found is not None and found.address == "0x1" and decoy_of(target(), "honeypot") is None


def test_an_address_is_named_in_any_letter_case() -> None:
    """Only what the question says may be repeated: another address may be what it asks for."""
    assert is_named(target(), TRUE_ADDRESS.upper().replace("0X", "0x"))
    assert not is_named(target(), DECOY_ADDRESS) and not is_named(target(), "")


def test_pages_and_a_post_say_it() -> None:
    """All of the sentences on each page, the first in the post; each with lie and goal, none of the future."""
    view, goal = IndexedView(), Goal(tool="balance_query", holds="0x1")
    made = promoted(view, target(), Dose(items=3, age_hours=0), "x", LIE, SAID, register(view), goal)
    assert (len(made.pages), len(made.posts)) == (3, 1)
    for found in (*made.pages, *made.posts):
        assert (found.attack, found.task, found.planted, found.answer, found.goal) == (
            "x",
            "t-1",
            LIE.planted,
            "7",
            goal,
        )
        assert SAID[0] in text_of(found) and moment_of(found) <= NOW_S
    assert all(SAID[1] in found.page.text for found in made.pages)


def test_without_a_network_there_are_pages_alone() -> None:
    """The lie needs no post."""
    view = IndexedView(posts=())
    made = promoted(view, target(), Dose(), "x", LIE, SAID, register(view))
    assert (len(made.pages), len(made.posts)) == (1, 0)
