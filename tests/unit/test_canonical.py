"""What every room stands on: canonical bytes, errors of one line, how commands end, and a server on loopback."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.canonical import DEEPEST, canonical_bytes, digest, digest_bytes, pretty_bytes, strict_json
from caia_replay.cli.group import Commands
from caia_replay.errors import BadInput, CheckFailed, ForkFault, Interrupted, Miss, nearest, one_line

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**300), 2**300) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(PLAIN)
def test_both_forms_read_back_as_the_value(value: object) -> None:
    """Canonical and pretty bytes hold exactly the value, integers of any size included."""
    assert json.loads(canonical_bytes(value).decode("utf-8", "surrogatepass")) == value
    assert json.loads(pretty_bytes(value).decode("utf-8", "surrogatepass")) == value


@given(st.dictionaries(st.text(max_size=8), PLAIN, max_size=6), st.randoms())
def test_key_order_never_matters(table: dict[str, object], random: object) -> None:
    """A table filled in another order has the same digest."""
    items = list(table.items())
    random.shuffle(items)  # type: ignore[attr-defined]
    assert digest(dict(items)) == digest(table)


def test_digest_is_sha256_of_the_canonical_bytes() -> None:
    """With the algorithm named; integers past 2**64 are not rounded into each other, and NaN has no canonical form."""
    assert digest({"a": 1}) == digest_bytes(b'{"a":1}')
    assert digest_bytes(b"").startswith("sha256:e3b0c44298fc1c14")
    assert digest(2**255) != digest(2**255 + 1)
    with pytest.raises(ValueError):
        canonical_bytes(float("nan"))


@pytest.mark.parametrize(
    "text", ['{"a":1,"a":2}', '{"a":NaN}', "[Infinity]", "[" * 100_000, "{", '{"a": [1e400]}'], ids=range(6)
)
def test_lossy_json_is_refused(text: str) -> None:
    """Repeated keys, NaN, infinity, what no float can hold and bottomless nesting are faults, not silent losses."""
    with pytest.raises(ValueError, match="more than a float" if "1e400" in text else ""):
        strict_json(text)
    assert strict_json(b"[1e308, 1e-400]") == [1e308, 0.0]


@given(st.integers(1, 1200), st.text(max_size=10))
def test_depth_is_bounded_by_ourselves(depth: int, text: str) -> None:
    """Nesting is refused past the bound, also where the recursion limit was raised and strings hold brackets."""
    inner = json.dumps(text + "]}[{")
    nested = "[" + (inner + ",[") * (depth - 1) + inner + "]" * depth
    if depth <= DEEPEST:
        strict_json(nested)
        return
    with pytest.raises(ValueError, match="deep"):
        strict_json(nested)


def test_a_raised_recursion_limit_breaks_nothing() -> None:
    """Bottomless nesting is a ValueError even when a library has lifted the interpreter's own bound."""
    code = (
        "import sys; sys.setrecursionlimit(100_000)\n"
        "from caia_replay.canonical import strict_json\n"
        "try: strict_json(b'[' * 200_000)\n"
        "except ValueError as fault: print(fault)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.returncode, run.stdout.strip()) == (0, f"nested more than {DEEPEST} deep")


def test_strings_that_never_close_are_refused_at_once() -> None:
    """A million escaped quotation marks behind an open one: minutes, were each looked at from every other."""
    with pytest.raises(ValueError):
        strict_json(b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1) + b'"' + b'\\"' * 1_000_000)
    with pytest.raises(ValueError):
        strict_json(b"[" * DEEPEST + b'"' + b'\\"' * 1_000_000 + b"[")


@given(st.text(max_size=2000))
def test_one_line_never_breaks(text: str) -> None:
    """Any text becomes one printable line of at most 600 characters."""
    line = one_line(text)
    assert len(line.splitlines()) <= 1
    assert len(line) <= 600
    assert line.isprintable()


def test_a_miss_keeps_its_nearest_out_of_its_text() -> None:
    """What a miss says to anyone does not name what is recorded: that could betray an answer."""
    miss = Miss("page", "https://a.example/x", "world w", nearest="https://a.example/secret")
    assert "secret" not in str(miss)
    assert miss.detail.nearest == "https://a.example/secret"


def test_nearest_finds_a_typing_slip_and_nothing_for_noise() -> None:
    """The nearest match is a known name that resembles the wish, or empty."""
    assert nearest("block_qery", ["block_query", "web_search"]) == "block_query"
    assert nearest("zzzz", ["block_query"]) == ""


def ended(capsys: pytest.CaptureFixture[str], body: Callable[[], None]) -> tuple[int, str]:
    group = Commands("caia-replay")
    group.add_command(click.Command("do", callback=body))
    with pytest.raises(SystemExit) as caught:
        group.main(["do"], prog_name="caia-replay")
    return int(caught.value.code or 0), capsys.readouterr().err


@pytest.mark.parametrize(("fault", "code", "line"), [
    (BadInput("is wrong", where="x", next_command="do y"), 2, "x: is wrong; next: do y"), (CheckFailed("no"), 1, "no"),
    (Interrupted("later"), 3, "later"), (Miss("block", "5", "toy"), 1, "block not recorded: 5 (toy)"),
    (ForkFault("gone"), 3, "gone"), (KeyboardInterrupt(), 3, "interrupted"), (MemoryError(), 3, "no memory is left"),
    (click.UsageError("no such thing"), 2, "no such thing; next: caia-replay do --help"),
    (PermissionError(13, "Permission denied", "/x"), 2, "/x: Permission denied; next: put that right"),
], ids=range(9))  # fmt: skip
def test_an_error_is_one_line_and_code(
    capsys: pytest.CaptureFixture[str], fault: BaseException, code: int, line: str
) -> None:
    """What, where and the next command; never a traceback; a command that returns is exit code 0 and silent."""

    def body() -> None:
        raise fault

    found, said = ended(capsys, body)
    assert found == code and said.startswith(line) and len(said.splitlines()) == 1
    assert ended(capsys, lambda: None) == (0, "")


def test_an_error_nobody_meant_is_not_hidden(capsys: pytest.CaptureFixture[str]) -> None:
    """A defect keeps its traceback."""

    def body() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Commands("x", {"do": click.Command("do", callback=body)}).main(["do"])
