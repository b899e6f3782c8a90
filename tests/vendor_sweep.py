"""A shipped world's recordings held against the descriptions that vendors publish of their APIs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from caia_replay.cassette.cassette import Cassette, Interaction
from caia_replay.store.world_folder import WorldFolder
from tests.vendor_description import VendorDescription

VENDORS = (("https://api.coingecko.com", "coingecko-demo-api.json"),
           ("https://api.binance.com", "binance-spot-api.yaml"), ("https://api.x.com", "x-api-v2.json"))  # fmt: skip
PAID = frozenset({"/coins/{id}/market_chart/range: parameter interval is not described"})
"""What the paid tier's documentation has and the demo tier's description leaves out."""
MISDESCRIBED = re.compile(r"^\$\[\d+\]\.T: \d+ is not of type 'boolean'$|_24h_change: None is not of type 'number'$")
"""Binance calls the time of a trade a boolean, whose example is a number; a coin of today has no change of a day."""
DEVIATIONS = ("/api/v3/exchangeInfo",)
"""Paths whose recorded replies leave the vendor's description; docs/providers/ gives each its reason."""


def recordings(folder: WorldFolder) -> Iterator[Interaction]:
    """Every recording of every cassette, in the order of the files."""
    for path in folder.cassettes():
        yield from Cassette.open(path).interactions


def misfits(folder: WorldFolder, vendor: Path, origin: str, every: int = 1) -> tuple[list[str], int]:
    """What is not as the vendor describes it, and how many recordings it describes; one of ``every`` is read."""
    described = VendorDescription.load(vendor)
    faults: list[str] = []
    mine = [
        item
        for item in recordings(folder)
        if item.uri.startswith(origin + "/") and described.covers(item.method, item.uri)
    ]
    for item in mine[::every]:
        faults += [found for found in described.request_faults(item.method, item.uri) if found not in PAID]
        if not any(path in item.uri for path in DEVIATIONS):
            found = described.reply_faults(item.method, item.uri, item.status, json.loads(item.body))
            faults += [one for one in found if not MISDESCRIBED.search(one)]
    return faults, len(mine)
