"""Replay certificates: one digest that is equal exactly when a replay was repeated.

A certificate is a pure function of suite, world, overlay, agent, prompts, model output and seed.
Each row's digest is chained on the one before, in suite order, so that rows cannot be moved; the
model's label, the clock, the host and the worker count are not in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from caia_replay.canonical import digest

CERTIFICATE_VERSION = 1
_NOT_HASHED = ("detail",)
"""A fault's wording may name a port; its stop reason is hashed."""


def certify(header: Mapping[str, Any], records: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The certificate of one cell; ``records`` in suite order, then by attempt."""
    chain = digest(dict(header))
    count = 0
    for record in records:
        chain = digest([chain, {key: value for key, value in record.items() if key not in _NOT_HASHED}])
        count += 1
    body = {"version": CERTIFICATE_VERSION, **header, "rows": count, "chain": chain}
    return {**body, "digest": digest(body)}
