"""What is asked of an explorer: the parameters of one request, and for lists the window of rows that is meant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from caia_replay.core.provider import HttpReply, HttpRequest
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import content_or_none, endpoint_of

ORIGIN: Final = "https://api.etherscan.io"
PATH: Final = "/v2/api"
KEY: Final = "apikey"
WINDOW: Final = 10_000
"""The furthest row of a list that can be asked for: page times offset."""
ENDLESS: Final = 9_999_999_999
"""An end above every block of every chain; the customary 99999999 is below some of Arbitrum's."""

_CUSTOMARY_END: Final = 99_999_999
_SLOW_CHAINS: Final = ("1",)
"""Ethereum makes a block in twelve seconds: the customary end is above all it will have before 2050."""
_SMALLEST_LIMIT: Final = 1_000
"""Vendors cut lists at whole thousands, by plan and by endpoint: a list of so many rows may go on."""
_MOST_DIGITS: Final = 30
WINDOW_NAMES: Final = frozenset({"page", "offset", "sort", "startblock", "endblock", "fromblock", "toblock"})
_LONGEST_REFUSAL: Final = 4_096
"""In bytes: what is longer tells something."""
_PASSING: Final = (
    "rate limit",
    "invalid api key",
    "api plan",
    "free api access",
    "too many requests",
    "timeout",
    "timed out",
    "busy",
    "try again",
    "unavailable",
    "unexpected error",
)
"""What a refusal says that is about the caller, or about the vendor's health at that minute."""
_LIMIT_EXCEEDED, _REVERTED = -32005, 3
"""JSON-RPC's codes; the words of a reverted call are its contract's own."""


@dataclass(frozen=True, slots=True)
class Listing:
    """How a list is asked for and worded. Blocks are inclusive; ``longest`` is the most rows of one page."""

    first_name: str
    last_name: str
    longest: int
    none: str
    newest_first: bool = False
    """Whether it has neither range nor order: it always begins with the newest block."""


_OF_ACCOUNT: Final = Listing("startblock", "endblock", WINDOW, "No transactions found")
_LISTINGS: Final = {
    ("account", "txlist"): _OF_ACCOUNT,
    ("account", "txlistinternal"): _OF_ACCOUNT,
    ("account", "tokentx"): _OF_ACCOUNT,
    ("account", "tokennfttx"): _OF_ACCOUNT,
    ("account", "getminedblocks"): Listing("", "", WINDOW, "No transactions found", newest_first=True),
    ("logs", "getLogs"): Listing("fromblock", "toblock", 1_000, "No records found"),
}


@dataclass(frozen=True, slots=True)
class Window:
    """The rows ``start`` to, not including, ``stop`` of the list of blocks ``first`` to ``last``."""

    first: int
    last: int
    descending: bool
    page: int
    offset: int

    @property
    def start(self) -> int:
        """The place of the first row that is meant."""
        return (self.page - 1) * self.offset

    @property
    def stop(self) -> int:
        """The place after the last one."""
        return self.page * self.offset


@dataclass(frozen=True, slots=True)
class EtherscanRequest:
    """One request. ``fields`` are its parameters by lower-case name, addresses and hashes in lower case."""

    request: HttpRequest
    fields: Mapping[str, str]

    @property
    def key(self) -> tuple[str, str]:
        """Module and action."""
        return self.fields.get("module", ""), self.fields.get("action", "")

    @property
    def chain_id(self) -> str:
        """Which chain is meant, as it is written."""
        return self.fields.get("chainid", "")

    @property
    def listing(self) -> Listing | None:
        """How its list is worded; None where no list is asked for."""
        if self.key == ("account", "txlistinternal") and self.fields.get("txhash"):
            return None
        return _LISTINGS.get(self.key)

    @property
    def identity(self) -> Mapping[str, str]:
        """Everything that decides the answer."""
        return {name: text for name, text in self.fields.items() if name != KEY}

    def window(self) -> Window | None:
        """The window of a list; None where it cannot be told what the vendor makes of the parameters."""
        listing = self.listing
        assert listing is not None
        order = self.fields.get("sort", "").lower() or "asc"
        # Events have no documented order but the oldest first.
        if order not in (("asc",) if self.key == ("logs", "getLogs") else ("asc", "desc")):
            return None
        descending = listing.newest_first or order == "desc"
        try:
            first = 0 if listing.newest_first else _block(self.fields.get(listing.first_name, ""), 0)
            last = ENDLESS if listing.newest_first else _block(self.fields.get(listing.last_name, ""), ENDLESS)
            page = _digits(self.fields.get("page", ""), 0) or 1
            offset = min(listing.longest, _digits(self.fields.get("offset", ""), 0) or listing.longest)
        except ValueError:
            return None
        if first > last or page * offset > WINDOW:
            return None
        if last > ENDLESS or (last >= _CUSTOMARY_END and self.chain_id in _SLOW_CHAINS):
            last = ENDLESS
        return Window(first, last, descending, page, offset)

    def words(self) -> str:
        """The question as people read it, without the key."""
        return "&".join(f"{name}={text}" for name, text in sorted(self.identity.items()))


def question_of(request: HttpRequest) -> EtherscanRequest:
    """Raises ``Miss`` for parameters that are given twice, in whatever case: which counts, only the vendor knows."""
    given = endpoint_of(request).parameters
    found = {name.lower(): text for name, text in given.items()}
    if len(found) != len(given):
        raise Miss("http", f"GET {request.url:.300}", "a parameter is given twice, in two cases")
    return EtherscanRequest(
        request, {name: text.lower() if text[:2] in ("0x", "0X") else text for name, text in found.items()}
    )


def family_of(question: EtherscanRequest) -> str:
    """All that no window of time, blocks or pages can change."""
    left_out = {KEY}
    if question.listing is not None:
        left_out |= WINDOW_NAMES
    if question.key == ("block", "getblocknobytime"):
        left_out.add("timestamp")
    return _encoded({name: text for name, text in question.fields.items() if name not in left_out})


def request_of(fields: Mapping[str, str]) -> HttpRequest:
    """The request with these parameters, in alphabetical order."""
    return HttpRequest("GET", f"{ORIGIN}{PATH}?{_encoded(fields)}")


def is_passing(reply: HttpReply) -> bool:
    """Whether a reply tells of the caller's key or pace or the vendor's trouble, and of nothing that was asked."""
    if reply.status != 200:
        return reply.status in (401, 403, 429) or reply.status >= 500
    content = _object(reply) if len(reply.body) <= _LONGEST_REFUSAL else None
    if content is None:
        return False
    error = content.get("error")
    if isinstance(error, dict):
        code = error.get("code")
        return code == _LIMIT_EXCEEDED or (code != _REVERTED and _is_passing(str(error.get("message"))))
    if "status" not in content or content.get("result") is not None:
        return content.get("status") == "0" and isinstance(content["result"], str) and _is_passing(content["result"])
    said = str(content.get("message") or "")
    return content["status"] != "0" or said in ("", "NOTOK") or _is_passing(said)


def rows_of(reply: HttpReply) -> list[dict[str, Any]] | None:
    """The rows of a recorded list, none where it says that there is none; None where it is no list."""
    content = _object(reply)
    if reply.status != 200 or content is None or not isinstance(content.get("result"), list):
        return None
    rows = content["result"]
    if not all(isinstance(row, dict) for row in rows):
        return None
    said_none = content.get("status") == "0" and str(content.get("message", "")).lower().startswith("no ")
    return rows if (rows and content.get("status") == "1") or (not rows and said_none) else None


def ends(count: int, offset: int) -> bool:
    """Whether a page of ``count`` rows proves that no row follows it."""
    return count < offset and (count == 0 or count % _SMALLEST_LIMIT != 0)


def number(text: Any) -> int:
    """A number of a row, in decimal digits or hexadecimal ones; "0x" is zero. Raises ``ValueError``."""
    if not isinstance(text, str):
        raise ValueError(text)
    return int(text[2:] or "0", 16) if text.startswith("0x") else int(text)


def block_of(row: Mapping[str, Any]) -> int:
    """The block of a row. Raises ``ValueError`` for a row that has none."""
    return number(row.get("blockNumber"))


def moment_of(row: Mapping[str, Any]) -> int:
    """When a row's block was made. Raises ``ValueError``."""
    return number(row.get("timeStamp"))


def whole(text: str) -> int | None:
    """A number a parameter gives in decimal digits; None for other text, and for more digits than anything has."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else None


def _object(reply: HttpReply) -> dict[str, Any] | None:
    content = content_or_none(reply)
    return content if isinstance(content, dict) else None


def _is_passing(words: str) -> bool:
    return any(word in words.lower() for word in _PASSING)


def _encoded(fields: Mapping[str, str]) -> str:
    return urlencode(sorted(fields.items()), safe=",", errors="surrogatepass")


def _digits(text: str, default: int) -> int:
    found = whole(text) if text else default
    if found is None:
        raise ValueError(text[:80])
    return found


def _block(text: str, default: int) -> int:
    return ENDLESS if text.lower() == "latest" else _digits(text, default)
