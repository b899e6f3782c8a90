import pytest

from caia_replay.report.progress import progress_bar


def test_a_log_gets_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    """Away from a terminal the bar counts in silence, so that logs and pipes stay readable."""
    with progress_bar(3) as step:
        step(1)
        step(2)
    assert capsys.readouterr().out == ""
    assert capsys.readouterr().err == ""
