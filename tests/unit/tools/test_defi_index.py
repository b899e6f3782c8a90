"""Protocols and chains by name, never guessed; and replies of another shape."""

from __future__ import annotations

from typing import Any

import pytest

from caia_replay.errors import Miss, ToolError
from caia_replay.tools.defi_index import (
    API,
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
from tests.told import Told, told

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


def _slug(text: str) -> str:
    return resolve_protocol(told(ROWS), text).slug


@pytest.mark.parametrize(
    "text", ["Vela Lend V3", "vela-lend-v3", " VELA_LEND_V3 ", "slug:vela-lend-v3", "'Vela lend v3'"]
)
def test_one_protocol_by_its_names(text: str) -> None:
    """Case, hyphens, underscores and quotes do not matter."""
    assert _slug(text) == "vela-lend-v3"


def test_protocols_by_token() -> None:
    """By a token's id of the coin list, and by its address on any network."""
    assert _slug("vela") == "vela-lend-v2" and _slug(TOKEN.upper().replace("0X", "0x")) == "orn"


def test_two_protocols_are_not_chosen_between() -> None:
    """A symbol of two, and a slug that is another one's name, are refused with both; ``slug:`` says which."""
    with pytest.raises(ToolError, match=r"could be 2 .*slug:vela-lend-v2.*slug:vela-lend-v3"):
        _slug("vla")
    with pytest.raises(ToolError, match=r"slug:orn .*slug:orn-bridge"):
        _slug("orn")
    assert _slug("slug:orn") == "orn"


def test_a_family_is_not_one_of_its_members() -> None:
    """The index lists members; the family's name is refused with all of them."""
    with pytest.raises(ToolError, match="family of 2, give one of: slug:vela-lend-v2; slug:vela-lend-v3"):
        _slug("Vela Lend")


@pytest.mark.parametrize("text", ["", "-", "$", "none", "slug:", "slug:vla"])
def test_no_protocol(text: str) -> None:
    """What names nothing is refused; a protocol without a symbol is not found by that."""
    with pytest.raises(ToolError, match="no protocol"):
        _slug(text)


def test_the_nearest_is_told() -> None:
    """A slip of the pen is told what it may have meant."""
    with pytest.raises(ToolError, match=r"nearest: Brim \(slug:brim\)"):
        _slug("brimm")


def test_lists_are_asked_for_and_picked_from() -> None:
    """One question to the index; ids are texts; whatever is listed can be picked."""
    world = Told(ROWS)
    listed = protocols(world)  # type: ignore[arg-type]
    assert world.asked == [(f"{API}/protocols", {})]
    assert [one.id for one in listed] == ["1", "2", "3", "4", "5"]
    assert meant(listed, "vla") == listed[:2] and pick(listed, "brim", "thing") is listed[4]
    with pytest.raises(ToolError, match="no thing 'zzzzzzz'"):
        pick(listed, "zzzzzzz", "thing")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("main net", "Main Net"),
        ("7", "Main Net"),
        ("8", "Roll Up"),
        ("rll", "Roll Up"),
        ("name:mnt", "MNT"),
        ("name:Roll_Up", "Roll Up"),
    ],
)
def test_chains_by_name(text: str, name: str) -> None:
    """A name, a chain id, a coin's symbol; ``name:`` means the name only."""
    assert resolve_chain(told(CHAINS), text)["name"] == name


def test_chains_that_are_none_or_two() -> None:
    """Refused, with what there is."""
    with pytest.raises(ToolError, match="could be 2 chains, give one of: name:Main Net; name:MNT"):
        resolve_chain(told(CHAINS), "MNT")
    with pytest.raises(ToolError, match="no chain 'rol up' at this moment; nearest: Roll Up"):
        resolve_chain(told(CHAINS), "rol up")
    assert [row["name"] for row in chain_rows(told(CHAINS))] == ["Main Net", "Roll Up", "MNT"]


@pytest.mark.parametrize("reply", [None, 7, [7], [{"id": 1}], {"message": "no"}, [{"id": 1, "slug": "x", "name": 5}]])
def test_lists_of_another_shape_are_missed(reply: Any) -> None:
    """A stranger's recording never ends a run."""
    with pytest.raises(Miss, match="another shape"):
        resolve_protocol(told(reply), "x")
    with pytest.raises(Miss, match="another shape"):
        resolve_chain(told(reply), "x")


def test_reading_leaves_other_errors_alone() -> None:
    """A tool's own refusal within it stays what it is."""
    with pytest.raises(ToolError, match="mine"), reading("a page"):
        raise ToolError("mine")
    with pytest.raises(Miss, match="a page"), reading("a page"):
        raise KeyError("x")


def test_figures() -> None:
    """Numbers stay as they are written, null stays null, everything else is no figure."""
    assert figure(1.5) == 1.5 and figure(0) == 0 and figure(None) is None and figure(2**60) == 2**60
    for value in (True, "1", [], 10**30, -1e300):
        with pytest.raises((TypeError, ValueError)):
            figure(value)


def test_dates() -> None:
    """Seconds, as number or digits; nothing else."""
    assert moment_of(1_600_000_000) == moment_of("1600000000") == 1_600_000_000
    for value in (True, 1.5, None, "x", "\u0661", -1, 1_600_000_000_000):
        with pytest.raises((TypeError, ValueError)):
            moment_of(value)


def test_spellings() -> None:
    """One spelling of a name; what names nothing has none; a name in an address is quoted whole."""
    assert fold(" Curve--DEX _v2 ") == "curve-dex-v2"
    assert folded(["A b", None, "", "-", "a-b"]) == {"a-b"}
    assert in_path("a/b c&d") == "a%2Fb%20c%26d"
