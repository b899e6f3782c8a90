"""One value, one byte string: what every digest, identity and certificate is computed over.

Standard library json on purpose: faster encoders turn integers of 2**64 and above into floats,
and then two different uint256 requests share one key.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from itertools import accumulate
from typing import Any, Final

DEEPEST: Final = 500
"""Our own bound: the parser relies on the recursion limit, which libraries raise until its C stack breaks."""

# A string that never closes is taken to the end: looked for again from each later quotation mark, its end takes
# quadratic time.
_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_STEP: Final = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_NO_BRACKETS: Final = bytes(set(range(256)) - _STEP.keys())


def canonical_bytes(value: Any) -> bytes:
    """``value`` as UTF-8 JSON: keys sorted, no spaces, exact integers, no NaN or infinity.

    Raises ``ValueError`` for NaN or infinity and ``TypeError`` for anything JSON has no form for.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode(
        "utf-8", "surrogatepass"
    )


def pretty_bytes(value: Any) -> bytes:
    """The same value for people and diffs: sorted keys, two spaces, one newline at the end."""
    text = json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "surrogatepass") + b"\n"


def digest(value: Any) -> str:
    """SHA-256 over ``canonical_bytes(value)``, as ``sha256:`` and 64 hex digits."""
    return digest_bytes(canonical_bytes(value))


def digest_bytes(data: bytes) -> str:
    """SHA-256 over raw bytes, as ``sha256:`` and 64 hex digits."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def strict_json(data: bytes | str) -> Any:
    """Parse JSON and refuse what silently loses information: repeated keys, NaN, infinity, numbers read as infinity.

    Raises ``ValueError`` naming the fault; nesting deeper than ``DEEPEST`` is one.
    """
    require_shallow(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)
    return json.loads(data, object_pairs_hook=_no_repeats, parse_constant=_no_constant, parse_float=_finite)


def require_shallow(raw: bytes, deepest: int = DEEPEST) -> None:
    """Raise ``ValueError`` for JSON that nests deeper than ``deepest``; to be asked before any parser."""
    if raw.count(b"[") + raw.count(b"{") > deepest and _depth(raw) > deepest:
        raise ValueError(f"nested more than {deepest} deep")


def _depth(raw: bytes) -> int:
    """How deep lists and objects nest, whatever their strings hold."""
    brackets = _STRING.sub(b"", raw).translate(None, _NO_BRACKETS)
    return max(accumulate(map(_STEP.__getitem__, brackets)), default=0)


def _finite(text: str) -> float:
    number = float(text)
    if number in (math.inf, -math.inf):
        raise ValueError(f"{text[:40]} is more than a float can hold")
    return number


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise ValueError(f"key {key!r} appears twice in one object")
            seen.add(key)
    return out


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")
