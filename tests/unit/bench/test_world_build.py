import pytest

from caia_replay.bench.world_build import rows
from caia_replay.origin.scale import Scale


def test_each_size_is_told_beside_the_smallest():
    """Two rows a size; the first size is its own floor, and no row is judged."""
    found = list(rows([Scale("one", 6, 1, 1, 4, 3), Scale("two", 6, 2, 1, 4, 3)]))
    assert [row.unit for row in found] == ["s", "kB", "s", "kB"]
    assert (found[0].ratio, found[1].ratio) == pytest.approx((1, 1))
    assert all(row.value > 0 and row.limit is None for row in found)
