"""Since when a file of a repository on GitHub is as it is: the last commit that touched it, by the host's own list.

    GET https://api.github.com/repos/<owner>/<name>/commits?path=<file>&per_page=1&sha=<branch, tag or commit>

The file's page bears no date. Unchanged since that commit, it read the same at every moment from then on. A commit says
itself when it was made, and nobody checks it.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Final
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from caia_replay.core.provider import HttpReply, HttpRequest
from caia_replay.providers.endpoint import content_or_none

HOST: Final = "api.github.com"
_FILE: Final = re.compile(
    r"https://(?:raw\.githubusercontent\.com/([\w.-]+)/([\w.-]+)/(?:refs/heads/)?"
    r"|github\.com/([\w.-]+)/([\w.-]+)/(?:blob|raw)/)([\w.-]+)/([^?#]+)"
)
_COMMITS: Final = re.compile(r"/repos/([\w.-]+)/([\w.-]+)/commits")


def file_history(url: str) -> HttpRequest | None:
    """The question when the file at an address changed last; None where there is no such file."""
    found = _FILE.fullmatch(url.partition("#")[0])
    if found is None:
        return None
    owner, name = found[1] or found[3], found[2] or found[4]
    asked = urlencode({"path": unquote(found[6]), "per_page": 1, "sha": found[5]})
    return HttpRequest("GET", f"https://{HOST}/repos/{owner}/{name}/commits?{asked}")


def files_of(request: HttpRequest) -> tuple[str, ...]:
    """The addresses of the file that such a question is about, as pages and as it is; () for any other request."""
    parts = urlsplit(request.url)
    found, given = _COMMITS.fullmatch(parts.path), dict(parse_qsl(parts.query))
    if parts.netloc != HOST or found is None or not given.keys() >= {"path", "sha"} or given.get("per_page") != "1":
        return ()
    place = f"{given['sha']}/{quote(given['path'])}"
    owner = f"{found[1]}/{found[2]}"
    return (
        f"https://raw.githubusercontent.com/{owner}/{place}",
        f"https://raw.githubusercontent.com/{owner}/refs/heads/{place}",
        f"https://github.com/{owner}/blob/{place}",
        f"https://github.com/{owner}/raw/{place}",
    )


def changed_at(reply: HttpReply) -> int | None:
    """When the file changed last, in seconds; None where the reply does not say."""
    rows: Any = content_or_none(reply)
    try:
        moment = datetime.fromisoformat(rows[0]["commit"]["committer"]["date"])
        return None if reply.status != 200 or moment.tzinfo is None else int(moment.timestamp())
    except (TypeError, LookupError, ValueError, OverflowError):
        return None
