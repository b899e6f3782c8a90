"""The same answers under other rules: what changes, by how much, and what must not."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec, Column
from caia_replay.errors import BadInput
from caia_replay.scoring.sensitivity import OWN, RULES, Outcome, Rule, Submission, judged, outcomes, partial_credit
from caia_replay.scoring.tolerance import PRESETS, percent_of, tolerance_of
from caia_replay.scoring.verifiers import verify

TOLERANCES = ("0.1", "1", "2", "4", "5", "10")
NAMED = {rule.name: rule for rule in RULES}
SET = AnswerSpec("text_set", ("Arda", "Bresk Two", "Corvo"))


def number(value: str, tolerance: str = "0") -> AnswerSpec:
    return AnswerSpec("number", (value,), "ETH", tolerance)


def run(
    spec: AnswerSpec, answer: str | None, *, task: str = "t", attempt: int = 1, own: Score | None = None
) -> Submission:
    return Submission(task, attempt, spec, answer, own or verify(spec, answer))


def credit(spec: AnswerSpec, answer: str) -> Fraction:
    return partial_credit(spec, answer, verify(spec, answer))


def by_name(found: tuple[Outcome, ...]) -> dict[str, Outcome]:
    return {outcome.rule.name: outcome for outcome in found}


def test_the_rules_are_the_ones_promised() -> None:
    """The task's own first, six tolerances, partial credit, and CAIA's four by name."""
    assert [rule.tolerance for rule in RULES[1:7]] == list(TOLERANCES)
    assert RULES[0] == OWN and RULES[7] == Rule("partial credit", None, "share")
    presets = {rule.name: (rule.tolerance, rule.partial) for rule in RULES[8:]}
    assert presets["caia-2025"] == ("caia-2025", "whole") and len(presets) == 4
    assert {partial for name, (_, partial) in presets.items() if name != "caia-2025"} == {"none"}


@given(st.integers(1, 10**12), st.integers(-1500, 1500), st.sampled_from(TOLERANCES))
def test_a_number_passes_exactly_within_the_tolerance(value: int, off: int, tolerance: str) -> None:
    """An answer off by some hundredths of a per cent is right when that is no more than the rule allows."""
    answer = Fraction(value) * (1 + Fraction(off, 10_000))
    text = f"{answer.numerator * 10**4 // answer.denominator}e-4 ETH"  # exact: off is in ten-thousandths
    each = run(number(str(value)), text)
    found = judged(each, NAMED[f"+-{tolerance} %"])[0]
    assert found == (abs(Fraction(off, 100)) <= Fraction(tolerance))


@settings(max_examples=50)
@given(st.lists(st.integers(-1500, 1500), min_size=1, max_size=12), st.sampled_from(["0", "1.5", "20"]))
def test_a_wider_tolerance_never_takes_a_point(offs: list[int], own: str) -> None:
    """Right runs grow from rule to rule; ups and downs are what a count by hand finds."""
    spec = number("100", own)
    runs = [run(spec, f"{100 + off / 100:.2f} ETH", attempt=at) for at, off in enumerate(offs)]
    found = by_name(outcomes(runs))
    right = [found[f"+-{tolerance} %"].right for tolerance in TOLERANCES]
    assert right == sorted(right)
    for tolerance in TOLERANCES:
        inside = [abs(off) <= Fraction(tolerance) * 100 for off in offs]
        before = [abs(off) <= Fraction(own) * 100 for off in offs]
        outcome = found[f"+-{tolerance} %"]
        assert outcome.right == sum(inside)
        assert outcome.raised == sum(now and not then for now, then in zip(inside, before, strict=True))
        assert outcome.lowered == sum(then and not now for now, then in zip(inside, before, strict=True))
        assert outcome.changed == outcome.raised + outcome.lowered
    assert found["own rule"].changed == 0


@pytest.mark.parametrize(("spec", "answer"), [
    (AnswerSpec("address", ("0x" + "ab" * 20,)), "0x" + "ab" * 19 + "ac"),
    (AnswerSpec("hash", ("0x" + "ab" * 32,)), "0x" + "ab" * 31 + "ac"),
    (AnswerSpec("date", ("2024-06-04",)), "2024-06-05"), (AnswerSpec("text", ("Arda Finance",)), "Arda"),
    (AnswerSpec("boolean", ("yes",)), "no"), (number("100"), "100 gwei"), (number("100"), "111 ETH"),
    (number("100"), "100 ETH or 150 ETH"), (number("100"), "I do not know"), (SET, "Dunmore"),
])  # fmt: skip
def test_what_is_plainly_wrong_is_wrong_under_every_rule(spec: AnswerSpec, answer: str) -> None:
    """No rule gives a point, or a part of one, for another thing, another unit, a hedge or a refusal."""
    assert [rule.name for rule in RULES if judged(run(spec, answer), rule)[0] != 0] == []


@given(st.sets(st.sampled_from(["Arda", "Bresk Two", "Corvo", "Dunmore", "Eskil", "Fenn"]), min_size=1))
def test_a_set_earns_its_share(given_names: set[str]) -> None:
    """Right elements over all that were wanted or given, in any order; all of them and no other is a point."""
    wanted = set(SET.values)
    share = Fraction(len(given_names & wanted), len(given_names | wanted))
    assert credit(SET, ", ".join(sorted(given_names))) == share


@given(st.lists(st.sampled_from(["Arda", "Bresk Two", "Corvo", "Dunmore", "Eskil"]), min_size=1, max_size=6))
def test_a_list_earns_what_is_in_order(given_names: list[str]) -> None:
    """Over the longest common subsequence, found here by trying every one; the whole list in order is a point."""
    spec = AnswerSpec("text_list", SET.values)
    share = Fraction(0)
    for size in range(1, 4):
        for chosen in combinations(SET.values, size):
            rest = iter(given_names)
            if all(name in rest for name in chosen):
                share = max(share, Fraction(size, len(SET.values) + len(given_names) - size))
    assert credit(spec, "\n".join(f"{at}. {name}" for at, name in enumerate(given_names, 1))) == share


POOLS = {"Arda": "12500000", "Bresk Two": "8200000", "Corvo": "3100000"}
TABLE = AnswerSpec(
    "table",
    tuple(f"{name} | {value}" for name, value in POOLS.items()),
    columns=(Column("pool", "text", key=True), Column("tvl", "number", unit="USD", tolerance_percent="0.5")),
)
FORMS = {
    "ruled": lambda rows: "| Pool | TVL |\n|---|---|\n" + "\n".join(f"| {name} | {value} |" for name, value in rows),
    "csv": lambda rows: "\n".join(f"{name},{value}" for name, value in rows),
    "headed csv": lambda rows: "pool,tvl\n" + "\n".join(f"{name},{value}" for name, value in rows),
    "json": lambda rows: json.dumps([{"pool": name, "tvl": value} for name, value in rows]),
    "lines": lambda rows: "\n".join(f"{name}: ${value}" for name, value in rows),
}


@pytest.mark.parametrize("form", ["ruled", *(pytest.param(form, marks=pytest.mark.check) for form in [*FORMS][1:])])
@settings(max_examples=50)
@given(st.dictionaries(st.sampled_from([*POOLS, "Dunmore"]), st.booleans(), min_size=1))
def test_a_table_earns_its_right_rows(form: str, chosen: dict[str, bool]) -> None:
    """Right rows over all that were wanted or given, in each form; a right key with a wrong figure is no right row."""
    rows = [(name, POOLS.get(name, "777") if right else "999") for name, right in chosen.items()]
    right = sum(known and name in POOLS for name, known in chosen.items())
    expected = Fraction(right, len(POOLS) + len(rows) - right)
    assert credit(TABLE, FORMS[form](rows)) == expected


def test_a_table_s_figures_get_the_tolerance_and_its_keys_do_not() -> None:
    """A figure 4 per cent off passes under 4 per cent; a row whose number is its key stays another row."""
    near = "Arda: $13,000,000\nBresk Two: $8,200,000\nCorvo: $3,100,000"
    assert [judged(run(TABLE, near), NAMED[name])[0] for name in ("own rule", "+-2 %", "+-4 %")] == [0, 0, 1]
    columns = (Column("height", "number", key=True), Column("fee", "number"))
    blocks = AnswerSpec("table", ("1000 | 50",), columns=columns)
    found = [judged(run(blocks, answer), NAMED["+-10 %"])[0] for answer in ("1000,50", "1000,54", "1001,50")]
    assert found == [1, 1, 0]


def test_a_table_without_keys_keeps_its_rows_apart() -> None:
    """Where all cells find a row, a tolerance would make two wanted rows one: it is left as it is."""
    spec = AnswerSpec("table", ("100 | 7", "101 | 7"), columns=(Column("a", "number"), Column("b", "number")))
    for rule in RULES:
        assert judged(run(spec, "101,7\n100,7"), rule)[0] == 1
        near = judged(run(spec, "101,7\n104,7"), rule)[0]
        assert near == {"none": 0, "share": Fraction(1, 3), "whole": 1}[rule.partial], rule.name


def test_a_table_of_anything_earns_nothing() -> None:
    """More than twice as many rows as wanted earn nothing, whatever is among them; a header is no row."""
    rows = [(name, value) for name, value in POOLS.items()] + [(f"Other {at}", "5") for at in range(3)]
    assert credit(TABLE, FORMS["headed csv"](rows)) == Fraction(1, 2)
    assert all(credit(TABLE, FORMS[form]([*rows, ("One more", "5")])) == 0 for form in FORMS)


@pytest.mark.check
def test_no_answer_takes_long() -> None:
    """A thousand characters of rows, alike or not, against many wanted ones, are judged within seconds."""
    wide = replace(TABLE, values=tuple(f"p{at} | {at + 1}" for at in range(20)))
    begin = time.process_time()
    for answer in ("a,1\n" * 41, "".join(f"a{at}, {at}\n" for at in range(41)), '["a",1],' * 110, "|a|1|\n" * 160):
        partial_credit(wide, answer[:1000], Score(False, "", "read"))
    assert time.process_time() - begin < 20


def test_a_share_counts_as_right_where_a_rule_says_so() -> None:
    """Partly right is a whole point under caia-2025, a part under partial credit, nothing otherwise."""
    each = run(SET, "Arda and Dunmore")
    found = by_name(outcomes([each]))
    assert (found["caia-2025"].right, found["caia-2025"].pass_at_1, found["caia-2025"].majority) == (1, 1.0, 1.0)
    share = found["partial credit"]
    assert (share.right, share.partial, share.raised, share.pass_at_1, share.majority) == (0, 1, 1, 0.25, None)
    assert all(found[name].changed == 0 for name in found if name not in ("caia-2025", "partial credit"))
    assert judged(each, NAMED["caia-2025"])[1].reading == each.own.reading


@settings(max_examples=40)
@given(st.lists(st.sampled_from(["100 ETH", "105 ETH", "300 ETH", None, "unscored"]), min_size=1, max_size=10))
def test_unscored_runs_stay_unscored(answers: list[str | None]) -> None:
    """A run without a verdict is in no figure and no change under any rule, never zero; its task has no majority."""
    none = Score(None, "not scored: model_fault")
    spec = number("100")
    runs = [
        run(spec, None, own=none, attempt=at) if answer == "unscored" else run(spec, answer, attempt=at)
        for at, answer in enumerate(answers)
    ]
    without = [each for each in runs if each.own.correct is not None]
    for outcome, bare in zip(outcomes(runs), outcomes(without), strict=True):
        assert (outcome.runs, outcome.scored) == (len(answers), len(without))
        whole = replace(bare, majority=bare.majority if len(without) == len(runs) else None)
        assert replace(outcome, runs=len(without)) == whole
        assert (outcome.pass_at_1 is None) is (not without)


def test_tasks_are_judged_apart_and_weigh_the_same() -> None:
    """One task's answer is never told of another's; near numbers are half right; an outcome is plain data."""
    runs = [run(number(value), "103 ETH", task=value) for value in ("100", "103", "120")]
    assert [outcome.right for outcome in outcomes(runs)][:7] == [1, 1, 1, 1, 2, 2, 2]
    runs = [run(number("100"), "105 ETH", task="a", attempt=at) for at in range(4)]
    runs += [run(number("105"), "105 ETH", task="b")]
    assert by_name(outcomes(runs))["partial credit"].pass_at_1 == 0.75
    assert by_name(outcomes(runs))["own rule"].pass_at_1 == 0.5
    assert outcomes([run(number("100"), "105 ETH")])[5].plain() == {
        **{"rule": "+-5 %", "tolerance_percent": "5", "partial_credit": "none", "runs": 1, "scored": 1, "right": 1},
        **{"partial": 0, "raised": 1, "lowered": 0, "changed": 1, "pass_at_1": 1.0, "majority": 1.0},
    }
    credits = [credit(number("100", "1"), f"{value} ETH") for value in ("101", "101.1", "90", "89.9")]
    assert credits == [1, Fraction(1, 2), Fraction(1, 2), 0]


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_decimal_text_is_exact(whole: int, decimals: int) -> None:
    """Every decimal text is the rational it says, never a rounded float."""
    assert percent_of(f"{whole}.{decimals:07d}") == whole + Fraction(decimals, 10**7)
    assert percent_of(str(whole)) == whole


def test_the_published_rules() -> None:
    """Ten, four, two and five per cent; only the rule of 2025 takes what is right in part for right."""
    percents = {name: percent_of(name) for name in PRESETS}
    assert percents == {"caia-2025": 10, "caia-2026": 4, "caia-2026-arithmetic": 2, "caia-repository": 5}
    assert [name for name in PRESETS if tolerance_of(name).partial_is_right] == ["caia-2025"]
    assert not tolerance_of("10").partial_is_right


@pytest.mark.parametrize("text", ["", "-1", "+1", "5%", "1e3", "1,5", ".5", "5.", "٥", "nan", " 1", "1\n", "1" * 40])
def test_other_texts_are_refused(text: str) -> None:
    """What is no plain decimal of 0 or more is a fault of the spec, not zero."""
    with pytest.raises(BadInput, match="tolerance_percent"):
        percent_of(text)
