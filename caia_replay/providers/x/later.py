"""What later replies of X tell of an earlier moment: which account a handle led to, and since when there is one.

An account's number never changes and its beginning is told; its name, its words and its counts are of the day they are
read on and are left out. A handle that was given up may have become another's since: the account then began later, and
is left out too, or an older account took it over, which nothing shows. Posts need no turning: they say when they were
written, and the provider cuts them by that.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from caia_replay.core.provider import HttpRequest
from caia_replay.providers.as_of_filter import AsOfFilter, listed, mapped, named
from caia_replay.providers.endpoint import endpoint_of

_ACCOUNTS: Final = frozenset({"/2/users/by", "/2/users"})
_FOR_GOOD: Final = ("id", "username", "created_at")


def x_turn(request: HttpRequest) -> AsOfFilter | None:
    """How a later reply to a request is turned; None for a request whose replies of later tell nothing."""
    return _accounts if endpoint_of(request).path in _ACCOUNTS else None


def _accounts(content: Any, made: int, now: int) -> dict[str, Any] | None:
    items = [named(row, _FOR_GOOD) for row in listed(mapped(content)["data"])]
    kept = [row for row in items if datetime.fromisoformat(row["created_at"]).timestamp() <= now]
    return {"data": kept} if kept else None
