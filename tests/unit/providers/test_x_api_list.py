"""Timelines as stretches: what pages prove alone and together, and what contradicts itself."""

from __future__ import annotations

from email.utils import formatdate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.canonical import canonical_bytes
from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.x.item import ParsedReply, read
from caia_replay.providers.x.list import (
    BOTTOM,
    SHOWN,
    TOP,
    Pile,
    pile_of,
    place_of,
    stretches_of,
    token_of,
    token_place,
)
from caia_replay.providers.x.request import Window, question_of
from caia_worldgen.services.x_api_body import iso
from tests.x_question import get

BASE = 1_714_521_600
NOW = BASE + 1_000


def page(numbers: list[int], following: str = "", token: str = "", asked: str = "", **more: Any) -> ParsedReply:
    """A page of posts, each written as many seconds after the beginning as its number says."""
    data = [{"id": str(one), "text": "", "created_at": iso(BASE + one), "edit_history_post_ids": [str(one)]}
            for one in numbers]  # fmt: skip
    meta: dict[str, Any] = {"result_count": len(numbers), **({"next_token": following} if following else {}), **more}
    path = f"/users/7/tweets?post.fields=created_at{asked}{f'&pagination_token={token}' if token else ''}"
    body = {"data": data, "meta": meta} if data else {"meta": meta}
    reply = HttpReply(200, {"date": formatdate(NOW, usegmt=True)}, canonical_bytes(body))
    found = read(question_of(get(path)), Recorded(get(path), reply))
    assert found is not None
    return found


def shown(pile: Pile, size: int, token: tuple[int, tuple[float, int]] | None = None) -> list[int]:
    """The numbers on a page."""
    return [int(one["id"]) for one in pile.page(size, token, "it")[0]]


def at(number: int) -> tuple[float, int]:
    """A post's place."""
    return BASE + number, number


def test_tokens_tell_whether_there_is_more() -> None:
    """A page knows its neighbours, or it is a miss; the longest lists have no provable end."""
    pile = pile_of(stretches_of([page([9, 8, 7])]), Window(), NOW)
    _, meta = pile.page(2, None, "it")
    assert meta == {"result_count": 2, "newest_id": "9", "oldest_id": "8", "next_token": token_of(0, at(8))}
    _, meta = pile.page(2, (0, at(8)), "it")
    assert "next_token" not in meta and meta["previous_token"] == token_of(1, at(7))
    assert pile.page(2, (0, at(7)), "it") == ([], {"result_count": 0})
    alone = pile_of(stretches_of([page([5, 4], "x", "unknown")]), Window(), NOW)
    with pytest.raises(Miss):
        alone.page(1, (0, at(5)), "it")
    whole = page(list(range(SHOWN, 0, -1)))
    pile = pile_of(stretches_of([whole]), Window(), NOW)
    assert shown(pile, 100) == list(range(SHOWN, SHOWN - 100, -1))
    with pytest.raises(Miss):
        shown(pile, SHOWN)
    assert shown(pile_of(stretches_of([page(list(range(SHOWN - 1, 0, -1)))]), Window(), NOW), SHOWN)


def test_pages_that_prove_nothing() -> None:
    """Out of order, undated, empty with more to come; pages that contradict what came before are left out."""
    first = page([9, 8, 7])
    for other in (page([9, 7]), page([9, 8, 7, 6]), page([])):
        assert shown(pile_of(stretches_of([first, other]), Window(), NOW), 10) == [9, 8, 7]
        assert shown(pile_of(stretches_of([other, first]), Window(), NOW), 10) != [9, 8, 7]
    undated = page([9])
    bare = {name: value for name, value in undated.posts[0].items() if name != "created_at"}
    odd = ParsedReply(undated.question, undated.recorded, NOW, (bare,), (), (), (), (), {})
    no_meta = ParsedReply(undated.question, undated.recorded, NOW, undated.posts, (), (), (), (), None)
    for told in (page([7, 8]), page([7, 7]), odd, no_meta, page([], "a"), page([], "", "x")):
        assert stretches_of([told]) == []
    assert stretches_of([page([])])[0].low == BOTTOM and stretches_of([page([])])[0].high == TOP


def test_tokens_lead_where_a_page_handed_them_out() -> None:
    """Or where they say themselves; between a page back and its token there is nothing else."""
    (one,) = stretches_of([page([9, 8], "n", token_of(1, at(7)))])
    assert (one.low, one.high) == (at(7), at(9))
    (one,) = stretches_of([page([6, 5], "", token_of(0, at(7)))])
    assert (one.low, one.high) == (BOTTOM, at(7))
    stretches = stretches_of([page([9, 8], "onward", "", previous_token="back")])
    assert token_place("onward", stretches) == (0, at(8)) and token_place("back", stretches) == (1, at(9))
    assert token_place(token_of(1, at(3)), []) == (1, at(3)) and token_place("other", stretches) is None


@given(st.integers(0, 1), st.integers(0, 2**40), st.integers(0, 2**63))
def test_tokens_say_their_place(direction: int, moment: int, number: int) -> None:
    """There and back; no other text is one."""
    token = token_of(direction, (moment, number))
    assert place_of(token) == (direction, (moment, number)) and token == token.lower()
    assert place_of(token[:-1]) is None and place_of(token.upper() + "=") is None


@given(st.text(max_size=30))
def test_any_text_is_a_token_or_none(text: str) -> None:
    """Nothing else happens."""
    found = place_of(text)
    assert found is None or token_of(*found) == text
