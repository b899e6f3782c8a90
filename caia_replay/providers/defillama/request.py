"""A request to the DeFi index, read: whose it is, which page, which coins, and when a moment's note is settled.

Parts of a path that say who pays are left out: a key decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, unquote, urlencode, urlsplit

from caia_replay.core.provider import HttpRequest
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import endpoint_of

API: Final = "https://api.llama.fi"
COINS: Final = "https://coins.llama.fi"
PRO: Final = "https://pro-api.llama.fi"
DATASETS: Final = "https://defillama-datasets.llama.fi"
STABLECOINS: Final = "https://stablecoins.llama.fi"
ORIGINS: Final = (API, COINS, PRO, DATASETS, STABLECOINS)

FLAGS: Final = ("excludeTotalDataChart", "excludeTotalDataChartBreakdown")
_FIRST: Final = {"dexs": "dailyVolume", "fees": "dailyFees"}
_UNITS: Final = {"": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_PERIOD: Final = re.compile(r"([0-9]{0,9})([mhdw]?)", re.IGNORECASE)
_ADDRESS: Final = re.compile(r"[^:]+:0x[0-9a-fA-F]{40}")
_UNREADABLE: Final = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
"""What an address never holds as it is: parsers drop some of it, and another address is left."""
_NO_TEXT: Final = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True, slots=True)
class DefiLlamaRequest:
    """``parts`` are the path without a key, ``coins`` the keys it names, which are the last part of some paths."""

    origin: str
    parts: tuple[str, ...]
    parameters: Mapping[str, str]

    @property
    def page(self) -> str:
        """ "current", "historical", "first", "chart", "percentage" and "block" of prices; else "other"."""
        if self.origin != COINS:
            return "other"
        match self.parts:
            case ("prices", "current", _):
                return "current"
            case ("prices", "historical", _, _):
                return "historical"
            case ("prices", "first", _):
                return "first"
            case ("chart" | "percentage" as name, _):
                return name
            case ("block", _, _):
                return "block"
        return "other"

    @property
    def coins(self) -> tuple[str, ...]:
        """The coins' keys as they are spelt here, each once."""
        return tuple(dict.fromkeys(self.parts[-1].split(",")))

    @property
    def is_flow(self) -> bool:
        """Whether charts can be left out of the page."""
        return self.origin in (API, PRO) and self.parts[:1] in (("overview",), ("summary",)) and len(self.parts) > 1

    def number(self, text: str) -> int:
        """A whole number of the path or a parameter. Raises ``Miss`` for anything else."""
        if not re.fullmatch(r"[0-9]{1,12}", text):
            raise Miss("http", self.words(), f"{text!r:.80} is no number: recorded answers only")
        return int(text)

    def seconds(self, name: str, default: str) -> int:
        """A length of time such as "4h". Raises ``Miss`` for anything else."""
        text = self.parameters.get(name, default)
        found = _PERIOD.fullmatch(text)
        if found is None or not text:
            raise Miss("http", self.words(), f"{name}={text!r:.80} is no length of time: recorded answers only")
        return int(found[1] or "1") * _UNITS[found[2].lower()]

    def normal(self) -> dict[str, str]:
        """The parameters, with what is the default anyway left out."""
        kept = dict(self.parameters)
        if self.is_flow and kept.get("dataType") == _FIRST.get(self.parts[1], ""):
            del kept["dataType"]
        return kept

    def words(self, *left_out: str) -> str:
        """One text for questions that ask the same, but for the parameters left out.

        Names of pages, chains and protocols are the same in any case; names of files and of coins are not.
        """
        kept = sorted((name, value) for name, value in self.normal().items() if name not in left_out)
        parts = self.parts if self.origin == DATASETS else tuple(part.lower() for part in self.parts)
        if self.page not in ("other", "block"):
            parts = (*parts[:-1], ",".join(map(fold, self.parts[-1].split(","))))
        return f"{self.origin}/{'/'.join(quote(part, safe=':,') for part in parts)}?{urlencode(kept)}"

    def request(self, parameters: Mapping[str, str]) -> HttpRequest:
        """The same page with other parameters; only for pages without a key."""
        path = "/".join(quote(part, safe=":,") for part in self.parts)
        query = f"?{urlencode(parameters)}" if parameters else ""
        return HttpRequest("GET", f"{self.origin}/{path}{query}")


def read(request: HttpRequest) -> DefiLlamaRequest:
    """The question of a request. Raises ``Miss`` for one that cannot be read."""
    if _UNREADABLE.search(request.url):
        raise Miss("http", f"{request.method} {request.url:.300}", "no address holds such characters")
    endpoint = endpoint_of(request)
    # As it was sent: the answer spells the coins as they are spelt here.
    parts = tuple(unquote(part) for part in urlsplit(request.url).path.removesuffix("/").split("/")[1:])
    if any(_NO_TEXT in text for text in (*parts, *endpoint.parameters, *endpoint.parameters.values())):
        raise Miss("http", f"{request.method} {request.url:.300}", "what is quoted in the address is no text")
    origin = endpoint.origin
    if origin == PRO and parts[1:2] in (("api",), ("coins",)):
        origin, parts = (COINS if parts[1] == "coins" else PRO), parts[2:]
    return DefiLlamaRequest(origin, parts, endpoint.parameters)


def fold(coin: str) -> str:
    """One spelling of a coin's key: hexadecimal addresses are the same in any case, other words are not."""
    return coin.lower() if _ADDRESS.fullmatch(coin) else coin


def is_settled(moment: int, distance: int, answered_at: int | None, now: int) -> bool:
    """Whether the note nearest to ``moment``, ``distance`` away, is still the nearest at ``now``.

    Notes only come in later. One that is made after the recording cannot be nearer when the recording was made later
    than ``distance`` after the moment; and all that existed at ``now`` existed when it was made at ``now`` or later.
    """
    if distance == 0:
        return True
    return answered_at is not None and (answered_at >= now or answered_at > moment + distance)
