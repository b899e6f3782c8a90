"""Behaviour of the bounded memory of decoded row groups."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.chain.group_cache import GroupCache
from caia_replay.chain.row_group import RowGroup


def group(rows: int) -> RowGroup:
    """8 bytes a row."""
    return RowGroup(pa.table({"at": pa.array(range(rows), pa.uint64())}), ())


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6), st.integers(1, 12)), max_size=60))
def test_it_keeps_the_lately_asked_and_stays_in_its_bounds(steps: list[tuple[bool, int, int]]) -> None:
    """After any steps it holds what a list of the newest that fit would, and never more than fits besides one."""
    cache, model = GroupCache(limit_bytes=160), list[tuple[int, RowGroup]]()
    for asks, number, rows in steps:
        held = next((item for item in model if item[0] == number), None)
        if asks:
            assert cache.get("t", number) is (held[1] if held else None)
        else:
            cache.put("t", number, new := group(rows))
        if held:
            model.remove(held)
        if not asks or held:
            model.append(held if asks and held else (number, new))
        while sum(item.size_bytes for _, item in model) > 160 and len(model) > 1:
            model.pop(0)
        # Asked from the oldest to the newest, their order stays as it was.
        held_now = [number for number, _ in model]
        order = [*held_now, *(number for number in range(7) if number not in held_now)]
        assert [number for number in order if cache.get("t", number) is not None] == held_now


def test_tables_do_not_share_group_numbers() -> None:
    """The same number in another table is another group."""
    cache = GroupCache()
    cache.put("logs", 1, group(2))
    assert cache.get("blocks", 1) is None and cache.get("logs", 1) is not None


def test_threads_do_not_lose_bytes() -> None:
    """After many threads put and got at once, exactly as much fits as fits into a new one."""
    cache = GroupCache(limit_bytes=400)

    def work(seed: int) -> None:
        for step in range(300):
            cache.put("t", (seed * step) % 17, group(1 + step % 9))
            cache.get("t", step % 17)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(1, 9)))
    for number in range(60):
        cache.put("after", number, group(1))
    assert [number for number in range(60) if cache.get("after", number) is not None] == list(range(10, 60))
    assert all(cache.get("t", number) is None for number in range(17))
