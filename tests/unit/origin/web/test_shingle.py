"""Likeness of texts, found exactly."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.origin.web.shingle import Alike, alike, names_of, shingles

SETS = st.lists(st.frozensets(st.integers(0, 12), max_size=9), max_size=12)
NAMES = names_of(["Karovim Lend", "mori_hq"])


@settings(max_examples=300, deadline=None)
@given(SETS, st.integers(1, 10))
def test_every_pair_is_found_and_no_other(sets: list[frozenset[int]], tenths: int) -> None:
    """The pairs are those that comparing everything with everything finds."""
    threshold = Fraction(tenths, 10)
    wanted = [
        Alike(i, j, share)
        for i in range(len(sets))
        for j in range(i + 1, len(sets))
        if sets[i] and sets[j] and (share := Fraction(len(sets[i] & sets[j]), len(sets[i] | sets[j]))) >= threshold
    ]
    assert alike(sets, threshold) == wanted


def test_a_swapped_name_does_not_hide_a_copy() -> None:
    """Names, numbers, dates, handles and addresses are masked; other words are not."""
    one = shingles("On March 3 Karovim Lend paid 1,200 to 0xabcdef01, said @mori_hq and nobody else", NAMES)
    two = shingles("On April 9 Mori Lend paid 7,305 to 0x99887766, said @karovim and nobody else", NAMES)
    three = shingles("On April 9 Mori Lend stole 7,305 from 0x99887766, said @karovim and nobody else", NAMES)
    assert one == two and one != three


def test_scripts_without_spaces_are_compared_by_pairs() -> None:
    """A Chinese text is like itself with another name and unlike another text."""
    one = shingles("该项目的总供应量在三月上升，社区没有异议。", NAMES, 3)
    assert alike([one, shingles("该项目的总供应量在三月上升，社区没有异议！", NAMES, 3)], Fraction(9, 10))
    assert not alike([one, shingles("交易所宣布暂停充值，恢复时间另行通知。", NAMES, 3)], Fraction(1, 10))


def test_a_short_text_is_one_shingle() -> None:
    """Fewer words than a shingle has are compared as a whole; nothing is like no text."""
    assert len(shingles("gm all", NAMES)) == 1
    assert shingles("", NAMES) == frozenset()
    assert alike([frozenset(), frozenset()], Fraction(1, 2)) == []
