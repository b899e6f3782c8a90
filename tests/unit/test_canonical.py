import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.canonical import DEEPEST, canonical_bytes, digest, digest_bytes, pretty_bytes, strict_json

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


def test_neighbouring_uint256_values_have_different_digests() -> None:
    """Integers past 2**64 are not rounded into each other."""
    assert digest(2**255) != digest(2**255 + 1)


def test_digest_is_sha256_of_the_canonical_bytes() -> None:
    """The digest of a value is the digest of its canonical bytes, with the algorithm named."""
    assert digest({"a": 1}) == digest_bytes(b'{"a":1}')
    assert digest_bytes(b"").startswith("sha256:e3b0c44298fc1c14")


@pytest.mark.parametrize("text", ['{"a":1,"a":2}', '{"a":NaN}', "[Infinity]", "[" * 100_000, "{"])
def test_lossy_json_is_refused(text: str) -> None:
    """Repeated keys, NaN, infinity and bottomless nesting are faults, not silent losses."""
    with pytest.raises(ValueError):
        strict_json(text)


def test_not_a_number_has_no_canonical_form() -> None:
    """NaN is refused rather than written as a word JSON does not have."""
    with pytest.raises(ValueError):
        canonical_bytes(float("nan"))


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


def test_a_number_no_float_can_hold_is_refused() -> None:
    """1e400 would silently become infinity; 1e308 and small exponents are read."""
    with pytest.raises(ValueError, match="more than a float"):
        strict_json(b'{"a": [1e400]}')
    assert strict_json(b"[1e308, 1e-400]") == [1e308, 0.0]


def test_strings_that_never_close_are_refused_at_once() -> None:
    """A million escaped quotation marks behind an open one: minutes, were each looked at from every other."""
    with pytest.raises(ValueError):
        strict_json(b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1) + b'"' + b'\\"' * 1_000_000)
    with pytest.raises(ValueError):
        strict_json(b"[" * DEEPEST + b'"' + b'\\"' * 1_000_000 + b"[")
