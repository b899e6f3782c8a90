"""A small living web archive: some captures of some pages, a function of the request and of the moment."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime, formatdate
from urllib.parse import parse_qsl, urlsplit

from caia_replay.core.provider import HttpReply, HttpRequest

NAMES = ("urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length")
MOST = 40
"""The server cuts lists at so many rows."""


@dataclass(frozen=True, slots=True)
class Capture:
    """One capture of a page of harbour.example."""

    timestamp: str
    path: str = "/tariff"
    status: str = "200"
    digest: str = "AAAA"
    kind: str = "text/html"

    @property
    def original(self) -> str:
        return f"http://harbour.example{self.path}"

    @property
    def row(self) -> dict[str, str]:
        """The capture as a listing has it."""
        cells = (f"example,harbour){self.path}", self.timestamp, self.original, self.kind, self.status, self.digest)
        return dict(zip(NAMES, (*cells, str(100 + len(self.digest))), strict=True))


def moment_of(digits: str) -> datetime:
    """Fourteen digits as a moment."""
    return datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=UTC)


class Archive:
    """The archive; what it says of ``now`` knows no capture of later."""

    def __init__(self, captures: tuple[Capture, ...]) -> None:
        self.captures = sorted(captures, key=lambda one: (one.path, one.timestamp))

    def __call__(self, request: HttpRequest, now: int) -> HttpReply:
        """The reply at ``now``, with its Date."""
        parts = urlsplit(request.url)
        there = [one for one in self.captures if moment_of(one.timestamp).timestamp() <= now]
        date = {"date": formatdate(now, usegmt=True)}
        if parts.path == "/cdx/search/cdx":
            return HttpReply(200, date, _listing(there, parse_qsl(parts.query, keep_blank_values=True)))
        found = re.fullmatch(r"/web/(?:(\d{1,14})(id_)?/)?(.*)", parts.path)
        assert found is not None
        path = found[3].partition("harbour.example")[2] or "/"
        own = [one for one in there if one.path == path]
        if not own:
            return HttpReply(404, date, b"not archived")
        low = (found[1] or "99991231235959") + "00000101000000"[len(found[1] or "x" * 14) :]
        near = min(own, key=lambda one: abs((moment_of(one.timestamp) - moment_of(low)).total_seconds()))
        if near.timestamp != found[1]:
            return HttpReply(302, date | {"location": f"/web/{near.timestamp}{found[2] or ''}/{near.original}"}, b"go")
        kept = format_datetime(moment_of(near.timestamp), usegmt=True)
        return HttpReply(int(near.status), date | {"memento-datetime": kept}, f"{path} {near.digest}".encode())


def _listing(there: list[Capture], asked: list[tuple[str, str]]) -> bytes:
    told = dict(asked)
    match, path = told.get("matchType", "exact"), told["url"].partition("harbour.example")[2] or "/"
    rows = [one.row for one in there if _is_in(one.path, path, match)]
    begin, end = told.get("from", "").ljust(14, "0"), told.get("to", "").ljust(14, "9")
    rows = [row for row in rows if begin <= row["timestamp"] <= end]
    for name, text in asked:
        if name == "filter":
            field, _, pattern = text.lstrip("!").partition(":")
            rows = [row for row in rows if (re.fullmatch(pattern, row[field]) is None) == text.startswith("!")]
    if "collapse" in told:
        field, _, size = told["collapse"].partition(":")
        cut = int(size) if size else None
        rows = [row for at, row in enumerate(rows) if not at or rows[at - 1][field][:cut] != row[field][:cut]]
    resume = told.get("resumeKey")
    if resume:
        rows = [row for row in rows if (row["urlkey"], row["timestamp"]) > tuple(resume.split("!"))]
    rows = rows[int(told.get("offset", "0")) :]
    limit = int(told.get("limit", str(MOST)))
    kept = (rows[:limit] if limit > 0 else rows[limit:])[:MOST]
    key = f"{kept[-1]['urlkey']}!{kept[-1]['timestamp']}" if kept and limit > 0 and len(kept) < len(rows) else ""
    fields = told.get("fl", ",".join(NAMES)).split(",")
    cells = [[row[name] for name in fields] for row in kept]
    shown = [[], [key]] if key and told.get("showResumeKey") == "true" else []
    if told.get("output") == "json":
        return json.dumps([fields, *cells, *shown] if cells else []).encode()
    return "".join(" ".join(line) + "\n" for line in [*cells, *shown]).encode()


def _is_in(path: str, wanted: str, match: str) -> bool:
    return {"exact": path == wanted, "prefix": path.startswith(wanted)}.get(match, True)
