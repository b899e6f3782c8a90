"""The bench of attacks, on the small suite."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.bench import attack

CAMPAIGNS = ("seo-heavy", "seo-light")
"""Two do as well as all."""


def test_planning_calls_and_a_sweep_are_measured(
    shipped: Path, monkeypatch: pytest.MonkeyPatch, anvil_binary: Path
) -> None:
    """Two rows a campaign, a row for each tool of the web with its limit, one for all campaigns over the suite."""
    monkeypatch.setattr(attack, "_CALL_ROUNDS", 1)
    monkeypatch.setattr(attack, "_ROUNDS", 1)
    monkeypatch.setattr(attack, "campaign_names", lambda: CAMPAIGNS)
    rows = list(attack.rows(str(shipped)))
    names = [row.name for row in rows]
    for name in CAMPAIGNS:
        assert sum(line.startswith(f"plan {name}, ") for line in names) == 1 and f"lay {name} over a world" in names
    judged = {row.name.split()[0]: row.limit for row in rows if row.limit is not None}
    assert judged == {"web_search": attack.SEARCH_LIMIT, "url_fetching": attack.FETCH_LIMIT}
    assert names[-1] == f"{len(CAMPAIGNS)} campaigns x 6 tasks, policy/credulous"
    assert all(row.value > 0 and row.floor > 0 for row in rows) and len(rows) == 2 * len(CAMPAIGNS) + 3
