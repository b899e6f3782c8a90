import pytest

from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.metric import Metrics
from caia_replay.origin.scene import Scene
from caia_replay.origin.services.defillama_form import (
    chain_of,
    described,
    flag,
    number,
    percent,
    percent_2,
    refused,
    usd,
)


def test_numbers_are_cut_to_five_digits() -> None:
    """Dollars are written to a hundred-thousandth, and whole ones as such."""
    assert (usd(123_456_789), usd(200_000_000), usd(0), usd(999)) == (1.23456, 2, 0, 0)
    assert isinstance(usd(200_000_000), int) and number(15, 10) == 1.5


@pytest.mark.parametrize(
    ("now", "before", "exact", "two"),
    [(150, 100, 50.0, 50.0), (99, 100, -1.0, -1.0), (1, 3, -200 / 3, -66.67),
     (5, 0, None, None), (2, 3, -100 / 3, -33.33)],
)  # fmt: skip
def test_changes_are_of_what_was_before(now: int, before: int, exact: float | None, two: float | None) -> None:
    """A change is a part of what was before, and there is none where nothing was."""
    assert percent(now, before) == exact and percent_2(now, before) == two
    assert percent_2(None, before) is None


def test_chains_have_one_name_in_many_spellings(scene: Scene, book: MarketBook) -> None:
    """A chain is found by its id or its name in any case; a protocol is described the same at all times."""
    metrics = Metrics(scene, book)
    main = scene.networks["main"]
    assert chain_of(metrics, main.id) == chain_of(metrics, main.name) == chain_of(metrics, main.name.upper()) == "main"
    assert chain_of(metrics, "nowhere") is None
    for one in metrics.protocols:
        words = described(metrics, one)
        assert (words["id"], words["name"], words["gecko_id"]) == (one.id, one.name, one.slug if one.role else None)
    assert flag({"a": "True"}, "a") and not flag({"a": "1"}, "a") and refused(400, "no").content == {"message": "no"}
