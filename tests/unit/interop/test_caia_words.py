"""What CAIA's questions and answers say: dates, anchors, figures, answer kinds, notes to the grader and structures."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.task import AnswerKind
from caia_replay.interop.caia_anchor import DATASET_END, UNRESOLVED, find_anchor, find_chain, find_transaction
from caia_replay.interop.caia_answer import NO_ANSWER, guess_answer, plain, take_apart
from caia_replay.interop.caia_date import named_dates
from caia_replay.interop.caia_figure import number_spec, read_figure
from caia_replay.interop.caia_structured import abi_spec, names_spec, table_spec
from caia_replay.scoring.spec import check_spec
from caia_replay.scoring.verifiers import verify

ADDRESS = "0x" + "aB" * 20
BASE58 = "7Xk" * 13 + "pump"
URL = "https://docs.lantern.example/a"
KINDS: list[tuple[str, str, AnswerKind, tuple[str, ...]]] = [
    ("The contract of LNT?", f"address: {ADDRESS}", "address", (ADDRESS.lower(),)),
    ("The contract of LNT?", f"{BASE58}.", "text", (BASE58,)), ("Its documentation?", URL, "url", (URL,)),
    ("Which transaction minted it?", "0x" + "Cd" * 32, "hash", ("0x" + "cd" * 32,)),
    ("Has Lantern closed?", "No.", "boolean", ("no",)), ("某合约是否包含铸造", "包含铸造", "boolean", ("yes",)),
    ("When did it launch?", "2024, July 19", "date", ("2024-07-19",)),
    ("The timestamp of it?", "Mar-05-2024 06:07:08 PM +UTC (Optional: 1)", "time", ("2024-03-05T18:07:08Z",)),
    ("The timestamp of it?", "2024-03-05T06:07:08PM UTC.", "time", ("2024-03-05T18:07:08Z",)),
    ("Which lenders are there?", "Arda, Bresk", "text_set", ("Arda", "Bresk")),
    ("Who leads it?", "Ottermoor Capital", "text", ("Ottermoor Capital",)),
    ("Between Arda and Bresk, which is larger?", "Bresk", "text", ("Bresk",)),
]  # fmt: skip
OPEN = [
    ("Does it take cards? If yes, are coins taken?", "Yes. Yes."),
    ("Who sent it, and did it succeed?", f"{ADDRESS}; yes"), ("Who leads it?", "Arda/Bresk/Corvo"),
    ("What is the idea of it?", "Lanterns light the way for lenders who lend."),
    ("When is it listed?", "Not announced"), ("When did it launch?", "June 4 or June 5, 2024"),
    ("How much, at what price?", "15M, 60M"), ("The supply?", "any number more than 57 million is correct"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "answer", "kind", "values"), KINDS)
def test_the_text_tells_the_kind(question: str, answer: str, kind: AnswerKind, values: tuple[str, ...]) -> None:
    """Each guess is marked, and its own value is right by it."""
    guess = guess_answer(question, answer)
    assert (guess.spec.kind, guess.spec.values) == (kind, values)
    assert "answer:guessed" in guess.tags
    assert check_spec(guess.spec) == []


@pytest.mark.parametrize(("question", "answer"), OPEN)
def test_what_has_no_single_rule_is_open(question: str, answer: str) -> None:
    """The whole answer is kept for a judge, with the reason; no answer is no guess."""
    guess = guess_answer(question, answer)
    assert (guess.spec.kind, guess.spec.values) == ("open", (answer,))
    assert "answer:open" in guess.tags and guess.notes
    none = guess_answer(question, None)
    assert (none.spec.kind, none.spec.values, none.tags) == ("open", (NO_ANSWER,), ("answer:none",))


def test_what_the_words_add_is_the_rule() -> None:
    """A stated tolerance, a sign in words, a chain that the scorer knows, and a minute that may be off by seconds."""
    guess = guess_answer("Lantern's TVL?", "approximately 35B with 2% fault tolerance")
    assert guess.spec.tolerance_percent == "2"
    assert {"answer:note", "tolerance:stated", "answer:approximate"} <= set(guess.tags)
    assert [verify(guess.spec, text).correct for text in ("$35.6B", "$35.8B")] == [True, False]
    net = guess_answer("What net increase had WBTC?", "-12,345.5 WBTC.").spec
    assert verify(net, "WBTC fell by 12,345.5 WBTC").correct is True
    assert verify(net, "12,345.5 WBTC").correct is not True
    chains = {name: guess_answer("The contract?", ADDRESS, name).spec.chain for name in ("base", "nochain")}
    assert chains == {"base": "base", "nochain": None}
    for question, answer, seconds in (
        ("When does it open?", "Aug 27, 2025 – 08:00 UTC", 59),
        ("When did it open, to the minute?", "July 12, 2025 at 15:40:12 UTC", 59),
        ("The timestamp?", "2025-08-29 09:00:05 UTC", None),
    ):
        assert guess_answer(question, answer).spec.tolerance_seconds == seconds


@given(st.text(max_size=120), st.text(max_size=300))
def test_every_guess_can_be_judged(question: str, answer: str) -> None:
    """Whatever a file holds, its spec has no fault, unless there is no answer in it at all; nothing breaks a reader."""
    if answer.strip():
        assert check_spec(guess_answer(question, answer).spec) == []


@given(st.text(alphabet="0123456789.,%$-~ ()kmb万约toor=[]{}'\":|\\TZQ年月日/", max_size=150))
def test_no_text_breaks_a_reader(text: str) -> None:
    """Dates are whole and inside the calendar, a figure is finite or None, and so is a structure."""
    for item in named_dates(text, 2025)[0]:
        assert item.start <= item.end
        assert datetime.fromtimestamp(item.end, UTC).year <= 2099
    figure = read_figure(text)
    assert figure is None or Decimal(figure.value).is_finite()
    for rule in (table_spec, names_spec, abi_spec):
        rule(text, "list all of the abi in a table a b each")


HASH = "0x" + "ab" * 32


@pytest.mark.parametrize("question", [
    "Who proposed Ethereum block 18,000,001?", "The reserve at the block height 18000001", "第 18000001 个区块",
    "以太坊区块 18,000,001 的费用",
])  # fmt: skip
def test_a_named_block_is_the_anchor(question: str) -> None:
    """Its time is not known before somebody looks it up, and is never made up."""
    found = find_anchor(question)
    assert (found.kind, found.anchor.block, found.anchor.timestamp) == ("block", 18_000_001, UNRESOLVED)
    assert "anchor:block" in found.tags and "unresolved:timestamp" in found.tags


def test_a_transaction_is_the_anchor() -> None:
    """Neither its block nor its time is known; a Solana signature is one of Solana; a hash alone is none."""
    found = find_anchor(f"Explain the Tx on base: {HASH.upper().replace('X', 'x')}")
    assert (found.kind, found.transaction, found.anchor.chain) == ("transaction", HASH, "base")
    assert found.anchor.block == found.anchor.timestamp == UNRESOLVED
    found = find_anchor(f"Explain the transaction {'4uBcL' * 17}xyz")
    assert (found.kind, found.anchor.chain) == ("transaction", "solana")
    assert "chain:non-evm" in found.tags
    assert find_transaction(f"Supply to market {HASH}") is None
    assert found.anchor.timestamp == DATASET_END  # nothing here looks its own up, and it is told alike ever after


@pytest.mark.parametrize(("question", "end"), [
    ("Fees of Lantern on 2025-03-01 UTC", 1_740_873_600), ("Fees from 2025-02-01 to 2025-03-01", 1_740_873_600),
    ("TVL at 2025-03-01 00:00 UTC", 1_740_787_200), ("Fees in March 2025, up to 2025-03-01", 1_743_465_600),
])  # fmt: skip
def test_a_date_is_the_second_at_which_it_is_over(question: str, end: int) -> None:
    """The last of several dates, a period's end, or the moment itself."""
    found = find_anchor(question)
    assert (found.kind, found.anchor.timestamp, found.anchor.block) == ("date", end, UNRESOLVED)


def test_nobody_is_asked_after_the_data_set() -> None:
    """A date of the future is left out, a period that goes on ends with the data set; without a moment its day is."""
    future = find_anchor("How many tokens unlock on 2026-01-18?")
    assert (future.kind, future.anchor.timestamp) == ("assumed", DATASET_END)
    assert future.notes
    assert find_anchor("Unlocks between 2025-06-30 and 2025-12-30").anchor.timestamp == 1_751_328_000
    assert find_anchor("Unlocks in 2025 September").anchor.timestamp == DATASET_END
    found = find_anchor("Who founded Lantern?")
    assert (found.kind, found.anchor.timestamp) == ("assumed", DATASET_END)
    assert "anchor:assumed" in found.tags
    assert "2025" in find_anchor("Lantern's TVL on Aug 1st").notes[0]


@pytest.mark.parametrize(("question", "chain", "kind"), [
    ("查询某地址在ethereum上的余额", "ethereum", "named"), ("请给我Polygon，Base chain 的费用", "polygon", "named"),
    ("截至今日，在 BSC 上", "bsc", "named"), ("volume on Meteora", "solana", "implied"),
    ("the price of $SOLANA", "ethereum", "default"),
])  # fmt: skip
def test_the_first_chain_named_counts(question: str, chain: str, kind: str) -> None:
    """Named before implied before Ethereum."""
    assert find_chain(question)[:2] == (chain, kind)


def ends(text: str) -> list[str]:
    """The last second of every date, as text."""
    return [datetime.fromtimestamp(item.end, UTC).strftime("%Y-%m-%d %H:%M:%S") for item in named_dates(text, 2025)[0]]


@pytest.mark.parametrize(("text", "end"), [
    ("on 2024-03-05 UTC", "2024-03-05 23:59:59"), ("at 2024-03-05 00:00 UTC", "2024-03-05 00:00:00"),
    ("March 5, 2024 at 12:07:08 AM", "2024-03-05 00:07:08"), ("as of March 5th 2024", "2024-03-05 23:59:59"),
    ("2024 Mar. 5th", "2024-03-05 23:59:59"), ("in February 2024", "2024-02-29 23:59:59"),
    ("2024 Q1", "2024-03-31 23:59:59"), ("the first half of 2024", "2024-06-30 23:59:59"),
    ("In 2024, what", "2024-12-31 23:59:59"), ("by the end of 2024", "2024-12-31 23:59:59"),
    ("2024年3月5日的", "2024-03-05 23:59:59"), ("在2024 年 2 月", "2024-02-29 23:59:59"),
])  # fmt: skip
def test_a_date_ends_with_its_last_second(text: str, end: str) -> None:
    """Every way of writing one is read, a clock is the moment itself."""
    assert ends(text) == [end]


def test_a_day_without_a_year_takes_the_one_that_is_named() -> None:
    """The other date's, else the given one, which is told; a day of no calendar is told; versions are no days."""
    borrowed, _ = named_dates("from July 7th to July 9th, 2023", 2025)
    assert [datetime.fromtimestamp(item.end, UTC).year for item in borrowed] == [2023, 2023]
    assert all(item.has_year for item in borrowed)
    alone, _ = named_dates("on July 7th", 2025)
    assert [item.has_year for item in alone] == [False]
    assert named_dates("between 2025-02-01 and 2025-02-29", 2025)[1] == ["2025-02-29"]
    for text in ("Uniswap V3", "0.05 % pool", "block 19,560,000", "may it be 12%", "ERC-20", "10.25 %"):
        assert ends(text) == []


@pytest.mark.parametrize(("text", "value", "unit"), [
    ("2,877.00", "2877", None), ("-12,345.5 WBTC.", "-12345.5", "WBTC"), ("$7.31B", "7310000000", "USD"),
    ("约317 亿枚", "31700000000", None), ("7千万", "70000000", None), ("41.70%", "41.7", "%"),
    ("81234. https://a.example/b", "81234", None), ("0." + "0" * 29 + "1234567", "0." + "0" * 29 + "1234567", None),
])  # fmt: skip
def test_one_number_is_read_exactly(text: str, value: str, unit: str | None) -> None:
    """Separators, scales and units of two languages; no digit is lost."""
    figure = read_figure(text)
    assert figure is not None
    assert (figure.value, figure.unit) == (value, unit)


def test_what_is_no_single_number_is_not_guessed() -> None:
    """Several, bounded, malformed or contradicting figures are left to a judge."""
    for text in (
        *("53.1M or 54.2M", "15M, 60M, 350M", "800,000 LNT (8%).", "9.7m ETH and 52b USD", "6.55% with 4.43B supply"),
        *("0.0.0017 ETH", "27.6B on eth, 9.1B on sol", "1:5", "more than 57 million", "10 (9 at most)"),
        *("31B (37,263,817,105.64)", "Lantern", "", "1" * 500),
    ):
        assert read_figure(text) is None


def test_two_right_figures_near_each_other_are_the_ends_of_a_range() -> None:
    """In either order, with what is said beside them; those further apart stay a judge's."""
    guess = guess_answer("The swaps per sender?", "8 (whole) or 7.95 (with decimals) swaps per address.")
    assert (guess.spec.kind, "tolerance:range" in guess.tags) == ("number", True)
    right = [verify(guess.spec, text).correct for text in ("7.95", "8", "7.96", "7.94", "8.01")]
    assert right == [True, True, True, False, False]
    assert guess_answer("The swaps per sender?", "8 or 7.8 swaps").spec.kind == "open"


def test_a_price_in_a_dollar_coin_may_bear_the_dollar_mark() -> None:
    """And the coin's own name; another coin is another price."""
    spec = guess_answer("What is the LNT price of the pool?", "1,234.5 USDC/LNT").spec
    texts = ("$1,234.5", "1234.5 USDC", "1234.5 USDC/LNT", "1234.5", "1234.5 LNT", "$1,334.5")
    assert [verify(spec, text).correct for text in texts] == [True, True, True, True, False, False]


def test_the_one_item_that_is_asked_for_is_read_out_of_a_list_of_items() -> None:
    """By all the words of its name; where two are asked for, or none, nothing is read."""
    table = "| Item | Value |\n| --- | --- |\n| Average fee | 16.24 Gwei |\n| Smallest fee | 15 Gwei |"
    guess = guess_answer("What was the average fee in the block?", table)
    assert (guess.spec.kind, guess.spec.values, guess.spec.unit) == ("number", ("16.24",), "Gwei")
    for question in ("What was the average and the smallest fee in the block?", "Who mined the block?"):
        assert guess_answer(question, table).spec.kind == "open"


def test_addresses_that_begin_a_table_are_a_set_where_addresses_are_asked_for() -> None:
    """The figures beside them say why; base58 counts in its own case."""
    ours = [f"{name}{BASE58[:36]}" for name in ("Ab1", "Cd2")]
    table = "\n".join(["| mint | usd |", "|---|---|", *(f"| {name} | 1.5 |" for name in ours)])
    spec = guess_answer("For the top 2 tokens provide their contract address.", table).spec
    assert (spec.kind, spec.values) == ("text_set", tuple(ours))
    assert verify(spec, ", ".join(ours)).correct is True
    assert verify(spec, ", ".join(ours).swapcase()).correct is False
    assert guess_answer("Which are the top 2 tokens by volume?", table).spec.kind != "text_set"


def test_both_ends_of_a_range_are_right_and_nothing_beyond() -> None:
    """The middle with a width that is rounded up."""
    figure = read_figure("267 billion to 269 billion")
    assert figure is not None
    spec, tags = number_spec(figure, "the supply of all", None)
    assert "tolerance:range" in tags
    right = [verify(spec, text).correct for text in ("267 billion", "269 billion", "266.9 billion", "269.1 billion")]
    assert right == [True, True, False, False]


@pytest.mark.parametrize(("question", "stated", "unit", "tolerance"), [
    ("What is Lantern's TVL?", "2", "USD", "2"), ("What is Lantern's TVL?", None, "USD", "caia-2026"),
    ("Give the block number of the first swap", None, None, "0"), ("请查询 LNT 的decimals", None, None, "0"),
    ("某协议2025年8月的fee 有多少", None, "USD", "caia-2026"),
])  # fmt: skip
def test_the_question_gives_what_is_left_out(
    question: str, stated: str | None, unit: str | None, tolerance: str
) -> None:
    """Unit and tolerance, each told by a tag."""
    figure = read_figure("42")
    assert figure is not None
    spec, tags = number_spec(figure, question, stated)
    assert (spec.unit, spec.tolerance_percent) == (unit, tolerance)
    assert ("unit:guessed" in tags) == (unit is not None)


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30, places=9))
def test_what_is_written_is_what_is_read(value: Decimal) -> None:
    """Any decimal, with separators, comes back equal, and its spec accepts itself."""
    figure = read_figure(f"{value:,f}")
    assert figure is not None
    assert Decimal(figure.value) == value
    assert check_spec(number_spec(figure, "how many", None)[0]) == []


@pytest.mark.parametrize(("answer", "value", "tolerance"), [
    ("42 ETH with 3% fault tolerance", "42 ETH", "3"), ("About 42. Tolerate 0.5% error.", "About 42.", "0.5"),
    ("Reference answer: 42\nhttps://a.example or any other source", "42", None), ("address: 0xabc", "0xabc", None),
])  # fmt: skip
def test_the_value_is_told_from_the_note(answer: str, value: str, tolerance: str | None) -> None:
    """A tolerance in words becomes a number, and a label is cut; nothing is found where nothing is said."""
    told = take_apart(answer)
    assert (told.value, told.tolerance_percent, told.conditional) == (value, tolerance, False)
    assert not (told.for_grader and answer == value)


def test_a_condition_is_no_value() -> None:
    """What changes which answers are right is told; escapes become what they stand for."""
    for answer in (
        "Lantern. Any three acceptable names will do, all are acceptable",
        "40 to 50. If it says nothing it should count as correct.",
        "甲、乙、丙 等。答出其中 2 个即可",
        "The submission must contain both parts: A; B",
    ):
        assert take_apart(answer).conditional
    assert plain('a\\nb\\t6 c **d** \\"e\\" f\u202fg') == 'a\nb  c d "e" f g'


def test_a_table_is_read_with_the_asked_columns() -> None:
    """Keys are text, figures numbers, words around do not matter; what was not asked is not demanded of anybody."""
    spec = table_spec(DRAWN, ASKS)
    assert spec is not None and spec.columns is not None
    assert spec.values == ("May 2024 | 1200", "June 2024 | 1300")
    columns = [(column.name, column.kind, column.key) for column in spec.columns]
    assert columns == [("Month", "text", True), ("Lamp Burn (LNT)", "number", False)]
    assert check_spec(spec) == []
    told = "[{'day': '2024-05-01', 'lamp_burn': 12, 'other': 5},{'day': '2024-05-02', 'lamp_burn': 13, 'other': 6}]"
    spec = table_spec(told, "Report the lamp burn daily")
    assert spec is not None and spec.columns is not None
    assert [column.name for column in spec.columns] == ["day", "lamp_burn"]
    assert spec.columns[0].kind == "date" and check_spec(spec) == []
    for value, question in (
        *((DRAWN, "What was the average?"), (DRAWN, "Generate a monthly table of fees")),
        *(("| a | b |\n|---|---|\n| 1 |", "a table of b each"), ("[{'a': 1}, {'b': 2}]", "each table")),
        *(("[{", "each table"), ("no table", "each table")),
    ):
        assert table_spec(value, question) is None


DRAWN = "| Month | Lamp Burn (LNT) |\n|---|---|\n| May 2024 | 1,200 |\n| June 2024 | 1,300 |. Total: 2,500 LNT."
ASKS = "Generate a monthly table of the lamp burn"


def test_names_are_a_set_and_numbered_ones_a_list() -> None:
    """Order counts only where the answer numbers them; figures and sentences are no names."""
    spec = names_spec("Arda, Bresk Labs，Corvo", "Which three lenders are there?")
    assert spec is not None
    assert (spec.kind, spec.values) == ("text_set", ("Arda", "Bresk Labs", "Corvo"))
    ranked = names_spec("1. Arda; 2. Bresk", "the top 2 lenders")
    assert ranked is not None
    assert (ranked.kind, ranked.values) == ("text_list", ("Arda", "Bresk"))
    sentence = "a sentence, which goes on and on for long"
    for value in ("15M, 60M", "Arda", "Arda, Arda", sentence, "1) Arda: 5, 2"):
        assert names_spec(value, "Which are there?") is None


def test_one_function_of_an_interface_is_its_signature() -> None:
    """A whole contract's interface and nested tuples are left to a judge."""
    one = '[{"type":"function","name":"lend","inputs":[{"name":"to","type":"address"},{"name":"n","type":"uint256"}]}]'
    spec = abi_spec(one, "What's the ABI of lend?")
    assert spec is not None
    assert spec.values == ("lend(address,uint256)",)
    assert check_spec(spec) == []
    assert abi_spec('[{"name":"a","inputs":[]},{"name":"b","inputs":[]}]', "the ABI") is None
    assert abi_spec('{"name":"a","inputs":[{"type":"tuple"}]}', "the ABI") is None
    assert abi_spec(one, "What does lend do?") is None
    unnamed = abi_spec('{"inputs":[{"type":"bool"}]}', 'the ABI of the function "mend"')
    assert unnamed is not None and unnamed.values == ("mend(bool)",)
