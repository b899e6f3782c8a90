"""Answer specs checked before any answer is."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.canonical import digest
from caia_replay.core.execution import Asset, BalanceCheck, CallCheck, EventCheck, Execution, Wallet
from caia_replay.core.gold import GoldChain
from caia_replay.core.score import RULES
from caia_replay.core.task import Anchor, AnswerKind, AnswerSpec, Column, Task
from caia_replay.errors import BadInput
from caia_replay.scoring import spec as spec_module
from caia_replay.scoring.spec import COLUMN_FIELDS, FIELDS, check_execution, check_spec, require_spec
from caia_replay.scoring.verifiers import verify
from caia_replay.store.world_folder import load_task
from tests.answer_specs import POOLS, SOUND
from tests.labelled_set import Labelled, labelled

ADDRESS, HASH = "0x" + "ab" * 20, "0x" + "cd" * 32
SET: dict[str, Any] = {
    **{"unit": "ETH", "tolerance_percent": "5", "aliases": ("another",), "direction": "up", "bound": "lower"},
    **{"tolerance_seconds": 60, "chain": "polygon", "columns": POOLS},
}
"""A value for each field that may be left out, none of them its default."""
WORDS = st.one_of(
    st.text(max_size=30),
    st.sampled_from(["", "12", "-3.5", ADDRESS, HASH, "yes", "2024-06-04", "9999-12-31T23:59:59-14:00", "a | b", "{"]),
    st.sampled_from(["0001-01-01T00:00:00+14:00", "1" * 5000, "N/A", "42? No.", "f(", "http://[::1", "caia-2025"]),
)
COLUMNS = st.builds(Column, WORDS, st.sampled_from([*FIELDS]), st.booleans(), st.none() | WORDS, WORDS)


JUDGED = {
    1: "sha256:54ee0f30a0b703ea4d84ac42c1f12c46a03a209f4a7eddfa70765d258e3e4796",
    2: "sha256:66c65a632c34414162f2fb36086d7ec1452c6e6a37c88f7de45c964a69b4fc33",
}
"""The golden verdicts under each version of the rules."""


def test_rules_are_raised_where_a_verdict_changes(shipped: Path) -> None:
    """Certificates name the rules: golden verdicts that are written anew need another version in core/score.py."""
    golden = json.loads((shipped.parents[1] / "tests" / "golden" / "golden.json").read_bytes())["verdicts"]
    assert JUDGED[RULES] == digest(golden), "raise RULES, and add its digest here"


@pytest.fixture(scope="module")
def answers() -> list[Labelled]:
    """Answers as models write them, every fifth: right and wrong ones of every kind."""
    return [answer for part in ("open", "mended") for answer in labelled(part)][::4]


def test_every_kind_is_known() -> None:
    """Each kind has its fields, each field that may be left out has a kind that reads it, and columns likewise."""
    assert sum(map(len, FIELDS.values())) == 11  # each of which decides a verdict below
    assert set(FIELDS) == set(SOUND) == set(get_args(AnswerKind))
    assert {name for names in FIELDS.values() for name in names} == set(SET)
    assert set(SET) == {field.name for field in fields(AnswerSpec)} - {"kind", "values"}
    assert {name for names in COLUMN_FIELDS.values() for name in names} == {"unit", "tolerance_percent"}


def test_the_shipped_and_the_labelled_specs_have_no_fault(shipped: Path) -> None:
    """What people wrote over months is not refused: in shipped worlds, and under every labelled answer."""
    tasks = [load_task(path.parent) for path in sorted(shipped.parent.glob("*/tasks/*/task.toml"))]
    assert len(tasks) > 6 and [(task.id, check_spec(task.answer)) for task in tasks if check_spec(task.answer)] == []
    specs = {answer.spec for part in ("open", "mended", "blind") for answer in labelled(part)}
    assert len(specs) > 100 and [spec for spec in specs if check_spec(spec)] == []


@pytest.mark.parametrize("kind", FIELDS)
def test_a_field_its_kind_does_not_read_is_a_fault(kind: str) -> None:
    """Named with the kinds that do read it; a field the kind reads is none; every fault is told at once."""
    assert check_spec(SOUND[kind]) == []
    for name, value in SET.items():
        found = check_spec(replace(SOUND[kind], **{name: value}))
        start = f"{name!r} means nothing for an answer of kind {kind}; what reads it"
        unread = [fault for fault in found if fault.startswith(start)]
        assert len(unread) == (name not in FIELDS[kind])  # type: ignore[index]
        assert not unread or len(found) == 1
    many = check_spec(AnswerSpec("date", ("soon",), unit="days", bound="upper"))
    assert len(many) == 3 and "'soon' is not one date" in many[2]


@pytest.mark.parametrize(("kind", "name", "answer"), [
    ("number", "unit", "fell 12.5 %"), ("number", "tolerance_percent", "fell 12.9 %"),
    ("number", "direction", "fell 12.5 %"), ("number", "bound", "at most -12.5 %"),
    ("number", "aliases", "-12.5 parts"), ("address", "chain", f"{ADDRESS} on Polygon"),
    ("time", "tolerance_seconds", "2024-04-01T09:10:50Z"),
    ("text", "aliases", "Lantern"), ("url", "aliases", "https://b.example/"), ("abi", "aliases", "0xa9059cbb"),
    ("table", "columns", "WETH/USDC: 12.5M\nDAI/USDT: 9M"),
])  # fmt: skip
def test_a_field_its_kind_reads_decides_a_verdict(kind: str, name: str, answer: str) -> None:
    """Left out, it changes the verdict on some answer, or there is none to be had."""
    defaults: dict[str, Any] = {field.name: field.default for field in fields(AnswerSpec)}
    without = replace(SOUND[kind], **{name: defaults[name]})
    if name == "columns":
        assert verify(SOUND[kind], answer).correct and any("needs columns" in fault for fault in check_spec(without))
    else:
        assert verify(SOUND[kind], answer).correct is not verify(without, answer).correct


@pytest.mark.check
def test_a_refused_field_would_have_changed_no_verdict(answers: list[Labelled]) -> None:
    """So nothing is refused that anybody's score depends on."""
    assert {answer.spec.kind for answer in answers} == set(FIELDS) - {"open"} and len(answers) > 200
    for answer in answers:
        before = verify(answer.spec, answer.says, answer.question)
        for name in set(SET) - set(FIELDS[answer.spec.kind]):
            assert verify(replace(answer.spec, **{name: SET[name]}), answer.says, answer.question) == before, (
                answer.place,
                name,
            )


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (AnswerSpec("numbr", ("1",)), "unknown answer kind 'numbr'; nearest: number"),  # type: ignore[arg-type]
        (AnswerSpec("number", ()), "answer kind number needs at least one value"),
        (AnswerSpec("open", ("a", " ")), "an open answer has an empty value"),
        (AnswerSpec("number", ("many",)), "'many' is not a number (answer.values)"),
        (AnswerSpec("number", ("1", "2")), "a number answer has one value (answer.values)"),
        (AnswerSpec("number", ("1",), tolerance_percent="-1"), "(answer.tolerance_percent)"),
        (AnswerSpec("number", ("1",), unit="₽"), "nothing is read in the unit '₽'"),
        (AnswerSpec("number", ("1" * 1001,)), "has 1001 characters, and an answer of more than 1000 is not read"),
        (AnswerSpec("address", ("0x12",)), "'0x12' is not one address"),
        (AnswerSpec("address", (ADDRESS,), chain=" "), "an address's chain needs a name (answer.chain)"),
        (AnswerSpec("hash", (ADDRESS,)), "is not one hash"),
        (AnswerSpec("date", ("03/04/2024",)), "'03/04/2024' is not one date"),
        (AnswerSpec("time", ("2024-04-01",)), "is not one moment to the second"),
        (AnswerSpec("time", ("2024-04-01T09:10:35Z",), tolerance_seconds=-1), "must be 0 or more"),
        (AnswerSpec("text", ("?!",)), "needs letters or digits"),
        (AnswerSpec("text", ("",)), "'' is not accepted as an answer itself: no answer submitted"),
        (AnswerSpec("text", ("Arda",), aliases=("x" * 1001,)), "has 1001 characters"),
        (AnswerSpec("text_set", ("Arda", "arda")), "set values must be different"),
        (AnswerSpec("text_list", tuple("abcdefgh" * 50)), "characters, and an answer of more than 1000 is not read"),
        (AnswerSpec("boolean", ("maybe",)), "is neither yes, no nor false premise"),
        (AnswerSpec("url", ("nowhere",)), "is not one web address"),
        (AnswerSpec("abi", ("transfer",)), "is not one function, event or error"),
        (AnswerSpec("table", ("a | b",)), "a table needs columns"),
        (AnswerSpec("table", ("a",), columns=POOLS), "has 1 cells for 2 columns"),
        (AnswerSpec("table", ("a | 1", "A | 2"), columns=POOLS), "two rows have the key"),
        (AnswerSpec("table", ("a | 1",), columns=(POOLS[0], Column("#", "number"))), "column '#' has neither letters"),
        (
            AnswerSpec("table", ("a | b",), columns=(POOLS[0], Column("By", "text", unit="ETH"))),
            "'unit' means nothing for a column of kind text, 'By'; what reads it: number",
        ),
        (AnswerSpec("table", ("a | 1",), columns=(POOLS[0], replace(POOLS[1], unit="₽"))), "column 'TVL': nothing"),
    ],
)
def test_what_cannot_be_judged_by_is_told(spec: AnswerSpec, said: str) -> None:
    """Each in words that hold what is wrong, and short."""
    found = check_spec(spec)
    assert any(said in fault for fault in found), found
    assert all(len(fault) < 400 for fault in found)


@given(
    st.builds(
        AnswerSpec, st.sampled_from([*FIELDS]), st.lists(WORDS, max_size=4).map(tuple), st.none() | WORDS, WORDS,
        st.lists(WORDS, max_size=2).map(tuple), st.sampled_from([None, "up"]), st.sampled_from([None, "upper"]),
        st.none() | st.integers(), st.none() | WORDS, st.none() | st.lists(COLUMNS, max_size=3).map(tuple),
    )
)  # fmt: skip
def test_whatever_a_task_says_the_check_ends_in_words(spec: AnswerSpec) -> None:
    """A spec from elsewhere is data: no fault in it is ever an error of ours, and none is an accepted one's."""
    found = check_spec(spec)
    assert all(isinstance(fault, str) and fault for fault in found)
    if not found and spec.kind != "open":
        assert verify(spec, None).correct is False  # it is read, and what is no answer stays none


def test_what_a_verifier_fails_on_is_told_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Should arithmetic of a verifier fail on what a task holds, that is a fault of the task, not a crash."""

    def fail(*given: object) -> None:
        raise OverflowError("date value out of range")

    monkeypatch.setattr(spec_module, "verify", fail)
    assert check_spec(SOUND["date"]) == ["'2024-06-04' cannot be read: OverflowError: date value out of range"]


def test_a_task_is_named_with_its_file() -> None:
    """One line: the file, the task, the first fault, how many more, and the next command."""
    anchor, gold = Anchor("mini", 1, 2), GoldChain((), "1")
    task = Task("t-1", "When?", "tokenomics", "en", "when", anchor, SOUND["date"], gold, "1", "")
    where = Path("cassettes/w/tasks/t-1/task.toml")
    require_spec(task, where)
    with pytest.raises(BadInput) as fault:
        require_spec(replace(task, answer=AnswerSpec("date", ("soon",), unit="days")), where)
    assert str(fault.value) == (
        "cassettes/w/tasks/t-1/task.toml: task t-1: no answer can be judged by its [answer]: "
        "'unit' means nothing for an answer of kind date; what reads it: number (and 1 more); "
        "next: mend it, then caia-replay lint --seal cassettes/w"
    )


COINS = "0x" + "11" * 20
RIGHT = Execution(
    (Wallet("mini", ADDRESS),),
    (Wallet("mini", ADDRESS),),
    (Asset("ARD", "mini", "", 18, "2.5"),),
    balances=(BalanceCheck(COINS, "ARD", least="1"),),
    calls=(CallCheck("mini", COINS, "owner()(address)", value=ADDRESS),),
    events=(EventCheck("mini", COINS, "Paid(address indexed to, uint256 amount)", {"amount": "1"}),),
)


@pytest.mark.parametrize(("changed", "fault"), [
    ({"balances": (), "calls": (), "events": ()}, "nothing must be the case afterwards"),
    ({"balances": (BalanceCheck(COINS, "BRK", least="1"),)}, "no asset 'BRK'"),
    ({"events": (EventCheck("mini", COINS, "Paid", {}),)}, "is no event"),
    ({"assets": (Asset("ARD", "mini", "", 18, "much"),)}, "no amount of dollars"), ({"wallets": ()}, "no wallet"),
])  # fmt: skip
def test_a_task_that_nothing_can_be_judged_by_is_refused(changed: dict[str, Any], fault: str) -> None:
    """One without a check above all: whatever is done would pass. Any one kind of check is enough."""
    assert check_execution(RIGHT) == []
    for kind in ("balances", "calls", "events"):
        left = {name: () for name in ("balances", "calls", "events") if name != kind}
        assert check_execution(replace(RIGHT, **left)) == []
    anchor, gold = Anchor("mini", 1, 2), GoldChain((), ADDRESS)
    task = Task("t-1", "Pay?", "tokenomics", "en", "pay", anchor, SOUND["address"], gold, "1", "", execution=RIGHT)
    where = Path("cassettes/w/tasks/t-1/task.toml")
    require_spec(task, where)
    with pytest.raises(BadInput, match="nothing that is done can be judged by its") as told:
        require_spec(replace(task, execution=replace(RIGHT, **changed)), where)
    assert fault in str(told.value) and "\n" not in str(told.value)
