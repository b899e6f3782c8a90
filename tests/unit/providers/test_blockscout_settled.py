import pytest

from caia_replay.providers.blockscout_settled import moment_of, settled


def test_what_an_explorer_says_of_today_is_left_out() -> None:
    """Prices, labels, decoded input and anything nobody here knows; what was mined stays as it is."""
    row = {
        "hash": "0x1", "value": "5", "timestamp": "2023-11-14T22:13:20Z", "exchange_rate": "3", "confirmations": 9,
        "from": {"hash": "0xa", "name": "Exploiter", "public_tags": [1]}, "to": None, "new": 1,
        "fee": {"type": "actual", "value": "1"},
    }  # fmt: skip
    assert settled(row, "transaction") == {
        "hash": "0x1", "value": "5", "timestamp": "2023-11-14T22:13:20Z", "from": {"hash": "0xa"}, "to": None,
        "fee": {"type": "actual", "value": "1"},
    }  # fmt: skip
    token = {"address_hash": "0xb", "symbol": "NEW", "holders": "9", "decimals": "6"}
    assert settled({"token": token, "total": {"value": "1", "x": 2}}, "transfer") == {
        "token": {"address_hash": "0xb", "decimals": "6"}, "total": {"value": "1"}}  # fmt: skip
    assert settled(row, "") == {}


@pytest.mark.parametrize("row", [None, [], {}, {"timestamp": None}, {"timestamp": "2023-11-14"}, {"timestamp": 3}])
def test_a_moment_needs_a_zone(row: object) -> None:
    """What does not say when it was mined, or where, was not mined as far as is known."""
    assert moment_of(row) is None
    assert moment_of({"timestamp": "2023-11-14T22:13:20.000000Z"}) == 1_700_000_000
