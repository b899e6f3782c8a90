"""A request as a stand-in reply is made for it: what it says, and what the call that makes it is about."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from caia_replay.core.provider import HttpRequest
from caia_replay.recording.plan_chain import Hint
from caia_replay.recording.plan_stand_in import StandIn

DAY_S: Final = 86_400
_MOMENTS: Final = ("at", "start", "end")
_YEAR: Final = re.compile(r"(?<!\d)(?:19[789]|20\d)\d(?!\d)", re.ASCII)
_USUAL_DAYS: Final = 120
_COINS: Final = ("asset", "token", "symbols")


@dataclass(frozen=True)
class Ask:
    """``arguments`` are the calling step's, ``chains`` the names of the task's chains, ``now`` its moment."""

    request: HttpRequest
    stand: StandIn
    now: int
    arguments: Mapping[str, Any]
    chains: tuple[str, ...]
    hint: Hint

    @cached_property
    def host(self) -> str:
        """The host, lower case."""
        return urlsplit(self.request.url).netloc.lower()

    @cached_property
    def path(self) -> str:
        """The path, as it is written."""
        return urlsplit(self.request.url).path

    @cached_property
    def parts(self) -> list[str]:
        """The path's parts, unquoted."""
        return [unquote(part) for part in self.path.split("/") if part]

    @property
    def last(self) -> str:
        """The path's last part; "" where it has none."""
        return self.parts[-1] if self.parts else ""

    @cached_property
    def query(self) -> dict[str, str]:
        """The parameters; of several of one name the last."""
        return dict(parse_qsl(urlsplit(self.request.url).query, keep_blank_values=True))

    def whole(self, name: str, default: int) -> int:
        """A parameter that is a whole number."""
        text = self.query.get(name, "")
        return int(text) if text.isascii() and text.isdecimal() else default

    def text(self, name: str) -> str | None:
        """An argument of the call that is a text, its ends cut."""
        value = self.arguments.get(name)
        return value.strip(" \t\r\n'\"`$") if isinstance(value, str) and value.strip() else None

    @cached_property
    def assets(self) -> list[str]:
        """Every coin the call names, as it names them."""
        found: list[str] = []
        for name in _COINS:
            value = self.arguments.get(name)
            found += [str(one) for one in value] if isinstance(value, list) else [value] if value else []
        return list(dict.fromkeys(text.strip(" \t\r\n'\"`$") for text in found if isinstance(text, str)))

    @property
    def since(self) -> int:
        """When a history begins that is long enough for the call: with the earliest year that it names."""
        years = [int(year) for name in _MOMENTS for year in _YEAR.findall(str(self.arguments.get(name) or ""))]
        if any(type(self.arguments.get(name)) is int for name in _MOMENTS):
            return 0
        return int(datetime(min(years), 1, 1, tzinfo=UTC).timestamp()) if years else self.now - _USUAL_DAYS * DAY_S

    def days(self, first: int, last: int, most: int = 1_100) -> range:
        """Midnights from ``first`` to ``last``, the newest ``most``."""
        end = last - last % DAY_S
        return range(max(-(-first // DAY_S) * DAY_S, end - (most - 1) * DAY_S), end + 1, DAY_S)
