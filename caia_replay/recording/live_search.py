"""What a search engine and a social network are asked for so that the local index has something to rank.

Replay never hands out their own order. So a query is asked without the model's narrower window, up to the task's
moment, once; what is found is read, and the index ranks it.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final
from urllib.parse import urlencode

from caia_replay.cassette.secret import SCRUBBED
from caia_replay.core.provider import HttpRequest
from caia_replay.providers.search_api.provider import search_request
from caia_replay.search.window import parse_window
from caia_replay.world.clock import utc_text

FIRST_RESULTS: Final = 10
"""How many of a result list's pages are read: a first page of results."""
_LISTED: Final = 20
_POSTS: Final = "https://api.x.com/2/tweets/search/all"
_KEY: Final = {"Authorization": f"Bearer {SCRUBBED}"}
_DAY_WORDS: Final = re.compile(r"\b(?:since|until|after|before):\S+", re.IGNORECASE)
_OPERATOR: Final = re.compile(r'-?(?:[a-z_]+:\S+|[#@$]\w+|"[^"]*")', re.IGNORECASE)
_LONGEST_QUERY: Final = 512
"""Characters of a query, by X's documentation of its full-archive search."""


def web_question(query: str, tbs: str, now: int) -> HttpRequest:
    """The search API's request for pages up to ``now``, in the window that ``tbs`` names if it can be read."""
    window = parse_window(tbs, now)
    first = None if window is None else window.after
    last = now if window is None or window.before is None else min(now, window.before)
    bounds = [f"cd_min:{_american(first)}"] if first is not None else []
    return search_request(query, _LISTED, tbs=",".join(["cdr:1", *bounds, f"cd_max:{_american(last)}"]))


def posts_question(query: str, now: int) -> HttpRequest:
    """The social network's request for posts up to ``now``: any of the plain words, all of the operators.

    ``conversation:N`` asks for a thread. Windows in words are left to the index.
    """
    found = re.fullmatch(r"conversation:([0-9]{1,19})", query)
    text = f"conversation_id:{found[1]}" if found else _in_their_words(_DAY_WORDS.sub(" ", query))
    asked = {"query": text, "end_time": utc_text(now), "max_results": "100"}
    return HttpRequest("GET", f"{_POSTS}?{urlencode(asked)}", headers=_KEY)


def _in_their_words(query: str) -> str:
    operators = _OPERATOR.findall(query)
    words = [word for word in _OPERATOR.sub(" ", query).split() if any(char.isalnum() for char in word)]
    plain = " OR ".join(words)
    text = " ".join([*operators, *([f"({plain})" if len(words) > 1 else plain] if words else [])])
    return text[:_LONGEST_QUERY].rpartition(" OR ")[0] + ")" if len(text) > _LONGEST_QUERY else text


def _american(moment: int) -> str:
    day = datetime.fromtimestamp(moment, UTC)
    return f"{day.month}/{day.day}/{day.year}"
