"""Binance's parameters as it reads them, and its words for what is wrong with them.

Errors have status 400 and a body ``{"code": -1121, "msg": "Invalid symbol."}``. Every answer tells the weight of its
request alone in ``X-MBX-USED-WEIGHT-1M``: who asks is not known here, so nothing is added up.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from caia_replay.canonical import strict_json
from caia_replay.providers.binance.interval import Interval, interval_of
from caia_replay.providers.binance.series import Window
from caia_worldgen.services.service import Answer, Asked

IGNORED: Final = frozenset({"timestamp", "recvWindow", "signature"})
SYMBOL: Final = "^[A-Z0-9-_.]{1,20}$"
_NUMBER: Final = "^[0-9]{1,20}$"
_LIST: Final = '^\\[("[A-Z0-9-_.]{1,20}"(,"[A-Z0-9-_.]{1,20}"){0,}){0,1}\\]$'
_LARGEST: Final = 1 << 62
_SYMBOL_PATTERN: Final = re.compile(r"[A-Z0-9\-_.]{1,20}")


class Refused(Exception):
    """The vendor's error, as an answer."""

    def __init__(self, code: int, words: str) -> None:
        super().__init__(words)
        self.answer = Answer(400, {"code": code, "msg": words})


def invalid_symbol() -> Refused:
    """No such market at this moment."""
    return Refused(-1121, "Invalid symbol.")


def not_supported() -> Refused:
    """What the venue has and this service does not."""
    return Refused(-1020, "This operation is not supported.")


def told(content: Any, weight: int) -> Answer:
    """An answer with the weight of its request."""
    return Answer(200, content, {"X-MBX-USED-WEIGHT-1M": str(weight)})


def busy(limit: int) -> Answer:
    """Too many requests; one second later there may be room again."""
    words = f"Too much request weight used; current limit is {limit} request weight per 1 MINUTE."
    return Answer(429, {"code": -1003, "msg": words}, {"Retry-After": "1"})


class BinanceRequest:
    """The parameters of one request; ``done`` complains of those that nobody read."""

    def __init__(self, asked: Asked) -> None:
        self._given: Mapping[str, str] = {
            name: value for name, value in asked.parameters.items() if name not in IGNORED
        }
        self._read: set[str] = set()

    def text(self, name: str) -> str | None:
        """A parameter as sent, or None. An empty one is an error."""
        self._read.add(name)
        value = self._given.get(name)
        if value == "":
            raise Refused(-1105, f"Parameter '{name}' was empty.")
        return value

    def needed(self, name: str) -> str:
        """A parameter that must be sent."""
        value = self._given.get(name)
        self._read.add(name)
        if not value:
            raise Refused(-1102, f"Mandatory parameter '{name}' was not sent, was empty/null, or malformed.")
        return value

    def number(self, name: str) -> int | None:
        """A whole number from 0 up, or None."""
        value = self.text(name)
        if value is None:
            return None
        if not (value.isascii() and value.isdigit()) or len(value) > 20:
            raise Refused(-1100, f"Illegal characters found in parameter '{name}'; legal range is '{_NUMBER}'.")
        return min(int(value), _LARGEST)

    def symbol(self, name: str = "symbol") -> str:
        """A symbol that could be one."""
        return _sound_symbol(self.needed(name), name)

    def symbols(self) -> list[str] | None:
        """What ``symbol`` or ``symbols`` name; None when neither is sent."""
        one, several = self.text("symbol"), self.text("symbols")
        if one is not None and several is not None:
            raise Refused(-1128, "Combination of optional parameters invalid.")
        if one is not None:
            return [_sound_symbol(one, "symbol")]
        if several is None:
            return None
        try:
            names = strict_json(several)
        except ValueError:
            names = None
        fits = isinstance(names, list) and all(isinstance(name, str) and _SYMBOL_PATTERN.fullmatch(name)
                                               for name in names)  # fmt: skip
        if not fits or not names:
            raise Refused(-1100, f"Illegal characters found in parameter 'symbols'; legal range is '{_LIST}'.")
        if len(set(names)) != len(names):
            raise Refused(-1169, "Duplicate values for parameter 'symbols'.")
        return [str(name) for name in names]

    def grid(self, word: str, refused: frozenset[str]) -> Interval:
        """The interval or period, in the zone that is sent with it."""
        zone = self.text("timeZone") if word == "interval" else None
        name = self.needed(word)
        found = interval_of(name)
        if found is None or name in refused:
            raise Refused(-1120, "Invalid interval.") if word == "interval" else self.invalid(word)
        zoned = interval_of(name, zone or "0")
        if zoned is None:
            raise Refused(-1100, "Illegal characters found in parameter 'timeZone'.")
        return zoned

    def window(self, default: int, most: int, strict: bool = False) -> Window:
        """``startTime``, ``endTime`` and ``limit``; a limit above the largest is cut, or an error if ``strict``."""
        start, end, limit = self.number("startTime"), self.number("endTime"), self.number("limit")
        if limit is not None and (limit == 0 or (strict and limit > most)):
            raise self.invalid("limit")
        return Window(start, end, default if limit is None else min(limit, most))

    def invalid(self, name: str) -> Refused:
        """A parameter whose value the vendor does not take."""
        return Refused(-1130, f"Data sent for parameter '{name}' is not valid.")

    def done(self) -> None:
        """Complain of parameters that the endpoint does not know."""
        read = len(self._given.keys() & self._read)
        if read != len(self._given):
            words = f"read '{read}' parameter(s) but was sent '{len(self._given)}'"
            raise Refused(-1104, f"Not all sent parameters were read; {words}.")


def _sound_symbol(text: str, name: str) -> str:
    if not _SYMBOL_PATTERN.fullmatch(text):
        raise Refused(-1100, f"Illegal characters found in parameter '{name}'; legal range is '{SYMBOL}'.")
    return text
