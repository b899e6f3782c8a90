"""Windows of whole days with exact sums, names of the DeFi index, and its pages of flows."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import Miss, ToolError
from caia_replay.tools.argument import DAY_S
from caia_replay.tools.daily import (
    MOST_POINTS,
    Window,
    day_of,
    day_text,
    describe_window,
    last_days,
    number,
    pairs,
    share_percent,
    total,
    whole_days,
    window_argument,
)
from caia_replay.tools.defi_index import (
    API,
    Listed,
    chain_rows,
    figure,
    fold,
    folded,
    in_path,
    meant,
    moment_of,
    pick,
    protocols,
    reading,
    resolve_chain,
    resolve_protocol,
)
from caia_replay.tools.flow_page import Flow, amounts, on_chain, overview, resolve_row, summary
from tests.told import Told, told

NOON = 1_717_156_800
"""2024-05-31T12:00:00Z"""
TODAY = NOON - 43_200
CENTS = st.integers(-(10**12), 10**12).map(lambda cents: cents / 100)


def _window(start: str | int | None, end: str | int | None) -> Window | None:
    return window_argument(told(now=NOON), start, end)


def _told(figures: dict[int, Any], first: int, last: int) -> dict[str, Any]:
    return describe_window(
        ["usd"], {day: {"usd": usd} for day, usd in figures.items()}, ["usd"], Window(first, last), NOON
    )


def test_a_window_is_the_days_that_are_named() -> None:
    """Both ends are in it; without an end it goes to the last day over; it runs neither backwards nor past now."""
    assert _window("2024-05-01", "2024-05-03T23:00Z") == Window(TODAY - 30 * DAY_S, TODAY - 28 * DAY_S)
    assert _window(None, None) is None
    assert _window("2024-05-01", None) == Window(TODAY - 30 * DAY_S, TODAY - DAY_S)
    assert _window("2024-05-31", None) == Window(TODAY, TODAY)
    assert _window(None, "2024-05-01") == Window(TODAY - 30 * DAY_S, TODAY - 30 * DAY_S)
    with pytest.raises(ToolError, match="start 2024-05-03 is after end 2024-05-01"):
        _window("2024-05-03", "2024-05-01")
    with pytest.raises(ToolError, match="has not come yet"):
        _window("2024-05-03", "2024-06-01")
    assert last_days(NOON, 7) == Window(TODAY - 7 * DAY_S, TODAY - DAY_S)
    assert last_days(TODAY, 1) == Window(TODAY - DAY_S, TODAY - DAY_S)
    assert day_of(NOON) == TODAY and day_text(TODAY) == "2024-05-31"


def test_points_by_day() -> None:
    """Digits are dates too, null stays null, of one day there is one point; what is no such pair is refused."""
    assert list(pairs([[str(TODAY), 2], [TODAY - DAY_S, None]]).items()) == [(TODAY - DAY_S, None), (TODAY, 2)]
    with pytest.raises(ValueError, match="two points of one day"):
        pairs([[TODAY, 1], [TODAY + 5, 2]])
    for rows in [[[1, "x"]], [[1, True]], [[None, 1]], [[1.5, 1]], [1], [[1, 2, 3]], [[-1, 1]]]:
        with pytest.raises((TypeError, ValueError)):
            pairs(rows)


@given(st.lists(CENTS, max_size=60))
def test_sums_are_those_of_the_decimals(values: list[float]) -> None:
    """A sum is that of the numbers as they are written, whatever their order, rounded once."""
    meant = sum((Decimal(str(value)) for value in values), Decimal(0))
    assert total(values) == total(reversed(values)) == Fraction(meant)
    assert number(total(values)) == (int(meant) if meant == meant.to_integral_value() else float(meant))


@given(st.integers(0, 10**9), st.integers(1, 10**9))
def test_shares_have_six_digits(part: int, whole: int) -> None:
    """A share is off by half of the last digit at most; of nothing there is none; whole sums stay exact."""
    share = share_percent(Fraction(part), Fraction(whole))
    assert abs(Fraction(str(share)) - Fraction(100 * part, whole)) <= Fraction(1, 2 * 10**6)
    assert share_percent(Fraction(part), Fraction(0)) is None
    assert number(total([0.1, 0.2])) == 0.3 and number(total([2**53, 1])) == 2**53 + 1


def test_sums_leave_out_what_is_not_over_or_not_known() -> None:
    """Such days are named, never nought; of no day there is no sum, nor a window; long ones come in parts."""
    found = _told({TODAY - 3 * DAY_S: 1.5, TODAY - 2 * DAY_S: None, TODAY: 40}, TODAY - 3 * DAY_S, TODAY)
    assert found["sums"] == {"usd": 1.5} and found["days_summed"] == {"usd": 1} and found["days"] == 4
    assert found["days_not_over"] == ["2024-05-31"]
    assert found["days_without_figure"] == 2 and found["without_figure"] == ["2024-05-29", "2024-05-30"]
    wanted = [{"day": "2024-05-28", "usd": 1.5, "is_over": True}, {"day": "2024-05-31", "usd": 40, "is_over": False}]
    assert found["points"] == wanted
    found = _told({TODAY: 40}, TODAY, TODAY)
    assert found["sums"] == {"usd": None} and found["days_summed"] == {"usd": 0}
    found = _told({TODAY - DAY_S: 0}, TODAY - DAY_S, TODAY - DAY_S)
    assert found["sums"] == {"usd": 0} and found["days_without_figure"] == 0
    figures = {TODAY - 2 * DAY_S: 1, TODAY - DAY_S: None, TODAY: 3}
    assert whole_days(figures, Window(TODAY - 2 * DAY_S, TODAY), NOON) == [TODAY - 2 * DAY_S]
    with pytest.raises(ToolError, match="figures from 2024-05-01 to 2024-05-02"):
        _told({TODAY - 30 * DAY_S: 1, TODAY - 29 * DAY_S: 1}, TODAY - DAY_S, TODAY)
    with pytest.raises(ToolError, match=r"no figure of 2024-05-31 to 2024-05-31$"):
        _told({}, TODAY, TODAY)
    days = {TODAY - at * DAY_S: at for at in range(1, MOST_POINTS + 31)}
    found = _told(days, min(days), max(days))
    assert found["sums"]["usd"] == sum(days.values()) and found["points_in_all"] == len(days)
    assert len(found["points"]) == MOST_POINTS and found["next_start"] == "2024-05-01"


TOKEN = "0x" + "aB" * 20
ROWS: list[dict[str, Any]] = [
    {"id": "1", "slug": "vela-lend-v2", "name": "Vela Lend V2", "symbol": "VLA", "gecko_id": "vela", "address": None},
    {"id": "2", "slug": "vela-lend-v3", "name": "Vela Lend V3", "symbol": "VLA", "parentProtocol": "parent#vela-lend"},
    {"id": "3", "slug": "orn", "name": "Orn Exchange", "symbol": "ORN", "address": f"arbitrum:{TOKEN}"},
    {"id": "4", "slug": "orn-bridge", "name": "orn", "symbol": "-", "gecko_id": None},
    {"id": 5, "slug": "brim", "name": "Brim", "symbol": None},
]
ROWS[0]["parentProtocol"] = "parent#vela-lend"
CHAINS: list[dict[str, Any]] = [
    {"name": "Main Net", "chainId": 7, "tokenSymbol": "MNT", "tvl": 1},
    {"name": "Roll Up", "chainId": "8", "tokenSymbol": "RLL", "tvl": 2},
    {"name": "MNT", "chainId": None, "tokenSymbol": None, "tvl": None},
]


def test_names_of_protocols_and_chains() -> None:
    """In any case, by token, chain id or symbol too; two or none are refused with what there is."""
    for text in ("Vela Lend V3", "vela-lend-v3", " VELA_LEND_V3 ", "slug:vela-lend-v3", "'Vela lend v3'"):
        assert resolve_protocol(told(ROWS), text).slug == "vela-lend-v3"
    for text, slug in (("vela", "vela-lend-v2"), (TOKEN.upper().replace("0X", "0x"), "orn"), ("slug:orn", "orn")):
        assert resolve_protocol(told(ROWS), text).slug == slug
    chains = {"main net": "Main Net", "7": "Main Net", "8": "Roll Up", "rll": "Roll Up", "name:mnt": "MNT"}
    for text, name in (chains | {"name:Roll_Up": "Roll Up"}).items():
        assert resolve_chain(told(CHAINS), text)["name"] == name
    for text, words in [
        ("vla", r"could be 2 .*slug:vela-lend-v2.*slug:vela-lend-v3"), ("orn", r"slug:orn .*slug:orn-bridge"),
        ("Vela Lend", "family of 2, give one of: slug:vela-lend-v2; slug:vela-lend-v3"),
        ("brimm", r"nearest: Brim \(slug:brim\)"),
        *((text, "no protocol") for text in ("", "-", "$", "none", "slug:", "slug:vla")),
    ]:  # fmt: skip
        with pytest.raises(ToolError, match=words):
            resolve_protocol(told(ROWS), text)
    world = Told(ROWS)
    listed = protocols(world)
    assert world.asked == [(f"{API}/protocols", {})]
    assert [one.id for one in listed] == ["1", "2", "3", "4", "5"]
    assert meant(listed, "vla") == listed[:2] and pick(listed, "brim", "thing") is listed[4]
    with pytest.raises(ToolError, match="no thing 'zzzzzzz'"):
        pick(listed, "zzzzzzz", "thing")
    with pytest.raises(ToolError, match="could be 2 chains, give one of: name:Main Net; name:MNT"):
        resolve_chain(told(CHAINS), "MNT")
    with pytest.raises(ToolError, match="no chain 'rol up' at this moment; nearest: Roll Up"):
        resolve_chain(told(CHAINS), "rol up")
    assert [row["name"] for row in chain_rows(told(CHAINS))] == ["Main Net", "Roll Up", "MNT"]


def test_replies_of_another_shape_are_missed() -> None:
    """A stranger's recording never ends a run."""
    for reply in [None, 7, [7], [{"id": 1}], {"message": "no"}, [{"id": 1, "slug": "x", "name": 5}]]:
        with pytest.raises(Miss, match="another shape"):
            resolve_protocol(told(reply), "x")
        with pytest.raises(Miss, match="another shape"):
            resolve_chain(told(reply), "x")
    for change in [
        {"totalDataChart": None}, {"totalDataChart": [[DAY, "x"]]}, {"totalDataChartBreakdown": [[DAY, 5]]},
        {"totalDataChartBreakdown": [[DAY, {}], [DAY + 1, {}]]}, {"protocols": [{}]},
        {"protocols": [{"id": 1, "name": 5}]},
    ]:  # fmt: skip
        with pytest.raises(Miss, match="another shape"):
            overview(told({**PAGE, **change}), FEES, parts=True)


def test_figures_dates_and_spellings() -> None:
    """Numbers and null stay as written, dates are seconds, a name has one spelling; all else is refused."""
    assert figure(1.5) == 1.5 and figure(0) == 0 and figure(None) is None and figure(2**60) == 2**60
    for value in (True, "1", [], 10**30, -1e300):
        with pytest.raises((TypeError, ValueError)):
            figure(value)
    assert moment_of(1_600_000_000) == moment_of("1600000000") == 1_600_000_000
    for value in (True, 1.5, None, "x", "\u0661", -1, 1_600_000_000_000):
        with pytest.raises((TypeError, ValueError)):
            moment_of(value)
    assert fold(" Curve--DEX _v2 ") == "curve-dex-v2"
    assert folded(["A b", None, "", "-", "a-b"]) == {"a-b"}
    assert in_path("a/b c&d") == "a%2Fb%20c%26d"
    with pytest.raises(ToolError, match="mine"), reading("a page"):
        raise ToolError("mine")
    with pytest.raises(Miss, match="a page"), reading("a page"):
        raise KeyError("x")


FEES = Flow("fees", None, "fees_usd", "protocol with fees")
REVENUE = Flow("fees", "dailyRevenue", "revenue_usd", "protocol with revenue")
DAY = 1_717_113_600
PAGE: dict[str, Any] = {
    "totalDataChart": [[DAY, 3.3], [DAY + DAY_S, 5]],
    "totalDataChartBreakdown": [
        [DAY, {"Main Net": {"Vela V2": 1.1, "Vela V3": 2.2}}],
        [DAY + DAY_S, {"Main Net": {"Vela V2": None}, "Roll Up": {"Vela V2": 5}}],
    ],
    "protocols": [
        {"id": "x1", "defillamaId": "1", "name": "vela", "displayName": "Vela", "slug": "vela-lend"},
        {"id": "2", "name": "Orn"},
    ],
}
PROTOCOLS = [
    {"id": "1", "slug": "vela-lend", "name": "Vela Lend", "symbol": "VLA"},
    {"id": "2", "slug": "orn", "name": "Orn", "symbol": "-"},
    {"id": "3", "slug": "brim", "name": "Brim", "symbol": "BRM"},
]
VELA = Listed("1", "vela-lend", "Vela", frozenset({"vela"}), {})


def test_a_page_is_asked_for_and_read() -> None:
    """The narrowest page, by data type, parts where wanted; whose its days were; null is nobody's."""
    world = Told(PAGE, PAGE, PAGE)
    overview(world, FEES)
    overview(world, REVENUE, "Main Net", parts=True)
    summary(world, REVENUE, VELA)
    without, whole = "true", None
    assert world.asked == [
        (f"{API}/overview/fees", {"dataType": None, "excludeTotalDataChartBreakdown": without}),
        (f"{API}/overview/fees/Main%20Net", {"dataType": "dailyRevenue", "excludeTotalDataChartBreakdown": whole}),
        (f"{API}/summary/fees/vela-lend", {"dataType": "dailyRevenue", "excludeTotalDataChartBreakdown": without}),
    ]
    page = summary(told(PAGE), FEES, VELA, parts=True)
    assert page.chart == {DAY: 3.3, DAY + DAY_S: 5}
    assert page.parts == {DAY: {"Main Net": Fraction("3.3")}, DAY + DAY_S: {"Roll Up": Fraction(5)}}
    assert [(one.id, one.slug, one.name) for one in page.rows] == [("1", "vela-lend", "Vela"), ("2", "orn", "Orn")]
    assert overview(told(PAGE), FEES).parts == {}
    told_so = {"a": {"x": 0.1, "y": 0.2}, "b": 3, "c": None, "d": {}, "e": 0}
    assert amounts(told_so) == {"a": Fraction("0.3"), "b": Fraction(3), "e": Fraction(0)}


def test_rows_and_chains_of_a_page() -> None:
    """By the names of page and list; who has no such figure is told who has; a day without one has none."""
    for text in ("Vela", "vela lend", "VLA", "slug:vela-lend"):
        assert resolve_row(told(PROTOCOLS, PAGE), FEES, text).slug == "vela-lend"
    with pytest.raises(ToolError, match=r"Brim is no protocol with fees of the index .* there are: Vela, Orn"):
        resolve_row(told(PROTOCOLS, PAGE), FEES, "brm")
    with pytest.raises(ToolError, match="no protocol with fees 'zzzzzzz'"):
        resolve_row(told(PROTOCOLS, PAGE), FEES, "zzzzzzz")
    page = summary(told(PAGE), FEES, VELA, parts=True)
    assert on_chain(page, "roll-up", VELA).chart == {DAY: None, DAY + DAY_S: 5}
    with pytest.raises(ToolError, match="Vela has no such figures on Solana; it has them on: Main Net, Roll Up"):
        on_chain(page, "Solana", VELA)
