"""Slots that are worked out when asked for."""

from __future__ import annotations

from caia_replay.origin.web.fact_sheet import FactSheet


def test_a_fact_is_worked_out_once_and_only_when_asked_for() -> None:
    """Nothing is computed for a slot that no phrase uses."""
    asked: list[str] = []

    def price() -> str:
        asked.append("price")
        return "$1"

    sheet = FactSheet({"name": "Karovim", "price": price})
    assert "price" in sheet
    assert not asked
    assert [sheet["price"], sheet["price"]] == ["$1", "$1"]
    assert asked == ["price"]


def test_later_parts_go_before_earlier_ones() -> None:
    """What an event knows of a coin is said rather than what the almanac knows."""
    sheet = FactSheet(FactSheet({"name": "one", "day": "Monday"}), {"name": "two"})
    assert dict(sheet) == {"name": "two", "day": "Monday"}
    assert len(sheet) == 2


def test_tagged_facts_keep_their_words() -> None:
    """Two coins fit into one sentence."""
    assert dict(FactSheet({"name": lambda: "Karovim"}).tagged("_b")) == {"name_b": "Karovim"}
