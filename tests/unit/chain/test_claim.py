"""Behaviour of completeness claims: what they cover is exactly what they say, piece by piece."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.chain.claim import Claim, Claims, Topics, joined_spans, spans_of, spans_words
from caia_replay.errors import BadInput

ADDRESSES = [bytes([n]) * 20 for n in (1, 2, 3)]
TOPICS = [bytes([n]) * 32 for n in (1, 2)]
some = st.frozensets(st.sampled_from(ADDRESSES), max_size=3)
topics = st.lists(st.frozensets(st.sampled_from(TOPICS), max_size=2), max_size=2).map(tuple)
spans = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda pair: (min(pair), max(pair)))
claims = st.lists(st.builds(lambda span, who, what: Claim("logs", *span, who, what), spans, some, topics), max_size=5)


def held(claim: Claim, block: int, address: bytes, log: tuple[bytes, ...]) -> bool:
    """Whether one log is among those a claim speaks of, by the definition of eth_getLogs."""
    fits = [at < len(log) and log[at] in wanted for at, wanted in enumerate(claim.topics) if wanted]
    return claim.first <= block <= claim.last and (not claim.addresses or address in claim.addresses) and all(fits)


@given(claims, spans, some, topics)
def test_whatever_is_covered_is_in_some_claim(made: list[Claim], span: tuple[int, int], who: frozenset[bytes],
                                              what: Topics) -> None:  # fmt: skip
    """No log that the question could match may be one that no claim speaks of."""
    if not Claims.of(made).covers("logs", *span, who, what):
        return
    question = Claim("logs", *span, who, what)
    logs = [(), *((first,) for first in TOPICS), *((first, second) for first in TOPICS for second in TOPICS)]
    for block in range(span[0], span[1] + 1):
        for address in [*ADDRESSES, b"\x09" * 20]:
            for log in logs:
                if held(question, block, address, log):
                    assert any(held(claim, block, address, log) for claim in made)


@given(claims)
def test_each_claim_is_covered_and_order_does_not_matter(made: list[Claim]) -> None:
    """What was claimed is covered, in pieces too, and joining forgets nothing and adds nothing."""
    whole = Claims.of(made)
    for claim in made:
        assert whole.covers("logs", claim.first, claim.last, claim.addresses, claim.topics)
        assert whole.covers("logs", claim.first, None, sorted(claim.addresses)[:1], claim.topics)
    assert Claims.of(random.Random(1).sample(made, len(made))) == whole
    assert Claims.of(whole) == whole
    halves = [replace(claim, last=(claim.first + claim.last) // 2) for claim in made]
    rest = [replace(claim, first=half.last) for claim, half in zip(made, halves, strict=True)]
    assert Claims.of([*halves, *rest]) == whole


@given(claims, spans, some, topics)
def test_gaps_are_the_blocks_that_are_not_covered(made: list[Claim], span: tuple[int, int], who: frozenset[bytes],
                                                  what: Topics) -> None:  # fmt: skip
    """Block by block what ``covers`` denies, told as ascending ranges; without a gap the whole range is covered."""
    whole = Claims.of(made)
    found = whole.gaps("logs", *span, who, what)
    denied = [at for at in range(span[0], span[1] + 1) if not whole.covers("logs", at, at, who, what)]
    assert found == spans_of(denied)
    assert whole.covers("logs", *span, who, what) == (not found)


@given(claims)
def test_claims_that_were_built_directly_are_those_that_were_gathered(made: list[Claim]) -> None:
    """No way to build them leaves the order, the joining or the index out."""
    direct = Claims(tuple(made))
    assert direct == Claims.of(made) == replace(Claims(), items=tuple(made)) and hash(direct) == hash(Claims.of(made))
    assert direct.spans("logs") == Claims.of(made).spans("logs")
    assert all(direct.covers("logs", claim.first, claim.last, claim.addresses, claim.topics) for claim in made)


@given(st.lists(spans, max_size=6))
def test_spans_are_those_of_the_whole_table(made: list[tuple[int, int]]) -> None:
    """A claim that is narrowed to addresses or topics is none of the whole table."""
    narrow = [Claim("logs", 0, 9, frozenset(ADDRESSES[:1])), Claim("logs", 0, 9, frozenset(), (frozenset(TOPICS),))]
    assert Claims.of([*narrow, *(Claim("logs", *span) for span in made)]).spans("logs") == joined_spans(made)


def test_a_lookup_does_not_look_at_every_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a hundred thousand ranges, general and of one contract, a few dozen are compared."""
    compared = 0

    class Counted(int):
        def __gt__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return int.__gt__(self, other)  # type: ignore[operator]

        def __lt__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return int.__lt__(self, other)  # type: ignore[operator]

    made = [Claim("storage", at, at, frozenset(ADDRESSES[: at % 4 // 2])) for at in range(0, 200_000, 2)]
    whole = Claims.of(made)
    for at in (0, 99_998, 199_996, 199_997):
        assert whole.covers("storage", Counted(at), Counted(at)) == (at % 4 == 0)
        assert whole.covers("storage", Counted(at), Counted(at), ADDRESSES[:1]) == (at % 2 == 0)
    assert 8 <= compared < 1_000


def test_a_claim_about_another_table_or_account_covers_nothing() -> None:
    """Storage of one contract says nothing of another, of logs, or of a block beside it."""
    whole = Claims.of([Claim("storage", 3, 5, frozenset(ADDRESSES[:1]))])
    assert whole.covers("storage", 3, 5, ADDRESSES[:1])
    for table, first, last, who in (
        ("storage", 3, 5, ADDRESSES[:2]), ("storage", 3, 5, ()), ("storage", 2, 5, ADDRESSES[:1]),
        ("storage", 5, 6, ADDRESSES[:1]), ("logs", 3, 5, ADDRESSES[:1]), ("accounts", 3, 3, ADDRESSES[:1]),
    ):  # fmt: skip
        assert not whole.covers(table, first, last, who)


def test_a_claim_that_cannot_be_is_refused() -> None:
    """Unknown tables, ranges that run backwards, and narrowings that mean nothing."""
    for wrong in (
        {"table": "codes"},
        {"first": 9},
        {"addresses": frozenset(ADDRESSES)},
        {"topics": (frozenset(TOPICS),)},
    ):
        with pytest.raises(BadInput):
            Claim(**{"table": "blocks", "first": 0, "last": 5, **wrong})  # type: ignore[arg-type]


def test_ranges_are_joined_and_told_in_words() -> None:
    """Neighbours become one range; a long list is cut."""
    assert spans_of([5, 1, 2, 3, 9]) == ((1, 3), (5, 5), (9, 9))
    assert joined_spans([(0, 4), (2, 3), (5, 6)]) == ((0, 6),)
    assert spans_words(((1, 3), (5, 5), (9, 9))) == "blocks 1 to 3, 5 and 9"
    assert spans_words(((7, 7),)) == "block 7"
    assert spans_words(spans_of(range(0, 40, 2))).endswith("8 and 15 more")
