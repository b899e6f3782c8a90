"""What endpoints want otherwise."""

from __future__ import annotations

from caia_replay.models.parameter import optional_fields
from caia_replay.models.quirk import Quirks


def test_without_quirks_a_request_asks_for_repeatable_answers_and_nothing_else() -> None:
    """Temperature 0 and the seed, nothing that only some servers know."""
    assert optional_fields(Quirks(), 3, frozenset()) == {"temperature": 0, "seed": 3}
    assert Quirks().system_role == "system" and Quirks().strict_tools


def test_quirks_share_no_state() -> None:
    """Two models' extra fields are two mappings."""
    assert Quirks().extra_body is not Quirks().extra_body
