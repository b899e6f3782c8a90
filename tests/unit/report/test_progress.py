import pytest

from caia_replay.report.progress import progress_bar, steps


def test_a_log_gets_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    """Away from a terminal the bar counts in silence, so that logs and pipes stay readable."""
    with progress_bar(3) as step:
        step(1)
        step(2)
    assert capsys.readouterr().out == ""
    assert capsys.readouterr().err == ""


def test_work_in_parts_is_silent_in_a_log_too(capsys: pytest.CaptureFixture[str]) -> None:
    """Parts may come and go and change their length."""
    with steps() as progress:
        progress("telling", 1, 10)
        progress("capturing", 3, 3)
    assert capsys.readouterr() == ("", "")
