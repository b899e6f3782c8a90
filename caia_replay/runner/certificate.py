"""Replay certificates: one digest that is equal exactly when a replay was repeated.

A certificate is a pure function of suite, world, overlay, agent, prompts, model output and seed.
Each row's digest is chained on the one before, in suite order, so that rows cannot be moved; the
model's label, the clock, the host and the worker count are not in it. Where a run was ended by the clock
there is none: another machine need not end it there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from caia_replay.canonical import digest
from caia_replay.core.trajectory import UNCERTIFIED_STOPS

CERTIFICATE_VERSION = 1
_NOT_HASHED = ("detail", "served_as")
"""A fault's wording may name a port; its stop reason is hashed. The names that servers gave models are labels."""


def certify(header: Mapping[str, Any], records: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The certificate of one cell; ``records`` in suite order, then by attempt.

    ``digest`` and ``chain`` are None where it cannot be certified; ``uncertified`` then counts the runs that
    prevent it by their stop reason.
    """
    chain = digest(dict(header))
    count = 0
    clocked: Counter[str] = Counter()
    for record in records:
        clocked.update(stop for stop in UNCERTIFIED_STOPS if record.get("stop") == stop)
        chain = digest([chain, {key: value for key, value in record.items() if key not in _NOT_HASHED}])
        count += 1
    if clocked:
        without = {"version": CERTIFICATE_VERSION, **header, "rows": count, "chain": None, "digest": None}
        return {**without, "uncertified": dict(sorted(clocked.items()))}
    body = {"version": CERTIFICATE_VERSION, **header, "rows": count, "chain": chain}
    return {**body, "digest": digest(body)}
