import io

from rich.console import Console

from caia_replay.report.table import (
    POLICY_HEADING,
    heading,
    summary_table,
    uncertified_lines,
    unfinished_lines,
    unscored_lines,
)

CELL = {
    "suite": "s",
    "model": "policy/oracle",
    "agent": "react",
    "runs": 5,
    "n_tasks": 6,
    "arm": "clean",
    "condition": "tools",
    "calibration_policy": True,
    "comparable_to_published_caia": False,
    "majority": 0.5,
    "pass_at_1": None,
    "pass_at_k": 1.0,
    "pass_hat_k": 0.0,
    "calls": 12,
    "served": {"MISS": 3, "ERROR": 0},
    "attack": {"exposed": 4, "opened": 3, "resisted": 1, "adopted": 2, "adopted_authoritative_text": 0},
    "attack_rates": {"intention_to_treat": {"rate": None}},
    "simulated_loss_usd": "120",
    "scored": {"runs": 28, "tasks": 6},
    "served_as": {"m-2026-01-01": 30},
    "cost_usd": None,
    "cost_estimated": None,
}


def shown(**changes: object) -> str:
    out = io.StringIO()
    cell = {**CELL, **changes}
    Console(file=out, width=60).print(summary_table([cell, {**cell, "arm": "attacked"}]))
    return "\n".join((*heading([cell]), out.getvalue()))


def test_a_policys_table_says_it_is_no_model_result() -> None:
    """The heading names calibration policies and worlds that compare with nothing published."""
    assert POLICY_HEADING in shown()
    assert "not comparable to published CAIA scores" in shown()
    live = shown(calibration_policy=False, comparable_to_published_caia=True)
    assert POLICY_HEADING not in live
    assert "not comparable" not in live


def test_who_answered_is_told_of_a_live_model() -> None:
    """One name as the server gave it, several with their counts, none where nothing was answered; no policy has one."""
    assert "answered by: m-2026-01-01\n" in shown(calibration_policy=False)
    assert "answered by: a (2), b (3)\n" in shown(calibration_policy=False, served_as={"b": 3, "a": 2})
    assert "answered by" not in shown(calibration_policy=False, served_as={}) and "answered by" not in shown()


def test_a_cost_is_told_where_a_price_is_known() -> None:
    """As it is, or as an estimate; without a price there is no such row."""
    assert "cost, USD" not in shown()
    assert "cost, USD" in shown(cost_usd="1.25", cost_estimated=False)
    assert "about 1.25" in shown(cost_usd="1.25", cost_estimated=True)


def test_runs_the_endpoint_broke_come_with_the_command_that_plays_them_again() -> None:
    """Faults of the endpoint are counted over cells; what ended otherwise, or by the clock, is not."""
    stops = [{"model_fault": 2, "answered": 1}, {"model_fault": 1, "wall_limit": 4}]
    assert unfinished_lines([{**CELL, "stops": each} for each in stops], "go on") == [
        "next, to play the 3 runs again that the endpoint broke: go on"
    ]
    assert unfinished_lines([{**CELL, "stops": {"answered": 3, "tape_miss": 1}}], "go on") == []


def test_unscored_is_not_zero() -> None:
    """A figure over nothing is called unscored; a real zero is shown as zero."""
    text = shown()
    assert "unscored" in text
    assert "0.0 %" in text
    assert "50.0 %" in text


def test_runs_that_no_score_counts_are_told() -> None:
    """An endpoint's and the simulator's faults get a line; a wrong or missing answer does not."""
    stops = {"answered": 3, "model_fault": 2, "no_answer": 1}
    assert unscored_lines([{**CELL, "stops": stops}], ["server: status 500"]) == [
        "not scored in clean, tools: 2 model_fault of 6 runs; first: server: status 500"
    ]
    assert unscored_lines([{**CELL, "stops": {"answered": 3, "no_answer": 1}}], [""]) == []
    assert "28 of 30" in shown()


def test_what_cannot_be_certified_is_told() -> None:
    """A cell with runs that a limit of real time ended is named with their number; the others are not."""
    assert uncertified_lines([{**CELL, "uncertified_runs": 0}, {**CELL, "uncertified_runs": 2}]) == [
        "not certified: clean, tools; 2 of 30 runs ran into a limit of real time"
    ]


def test_adoption_is_told_of_all_attacked_runs() -> None:
    """The share where something was attacked, a dash where nothing was; the headline is no count of exposures."""
    row = next(line for line in shown().splitlines() if "of attacked runs" in line)
    assert row.split()[-2:] == ["-", "-"]
    rated = shown(attack_rates={"intention_to_treat": {"rate": 0.125}})
    assert "12.5 %" in next(line for line in rated.splitlines() if "of attacked runs" in line)


def test_a_name_is_never_read_as_markup() -> None:
    """A model may be called anything a server allows."""
    assert "my[/]model[bold]" in shown(model="my[/]model[bold]")


def test_the_table_fits_a_narrow_terminal() -> None:
    """Every number of two arms stands whole in sixty columns, and one of a thing is not called things."""
    text = shown(runs=1, n_tasks=1)
    assert "1 run of 1 task\n" in text
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= 60
