from caia_replay.core.suite import Suite, SuiteEntry


def test_retired_tasks_are_kept_and_not_run() -> None:
    """A suite runs its active tasks in order; a retired one stays in the list."""
    entries = (
        SuiteEntry("b", "2026-01-01"),
        SuiteEntry("gone", "2026-01-01", "2026-02-01"),
        SuiteEntry("a", "2026-03-01"),
    )
    suite = Suite("s", "1", entries)
    assert suite.active() == ("b", "a")
    assert len(suite.entries) == 3
