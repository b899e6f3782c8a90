"""Other people's recordings of DefiLlama, read in place and decoded."""

from __future__ import annotations

import gzip
from pathlib import Path

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.recording.vcr_file import read_vcr

FOLDER = Path("http-cassettes") / "openbb"


def real_recordings(real_data: Path) -> list[Recorded]:
    """Every recorded exchange with the index."""
    found = []
    for path in sorted((real_data / FOLDER).glob("test_llama*/*.yaml")):
        for one in read_vcr(path):
            body = gzip.decompress(one.body) if one.body[:2] == b"\x1f\x8b" else one.body
            headers = {
                name.lower(): lines[0] for name, lines in one.headers.items() if name.lower() != "content-encoding"
            }
            found.append(Recorded(HttpRequest(one.method, one.uri), HttpReply(one.status, headers, body)))
    return found


def of(recordings: list[Recorded], url: str, year_month: str) -> Recorded:
    """The recording of an address whose date header has this text, such as ``Mar 2022``."""
    return next(one for one in recordings if one.request.url == url and year_month in one.reply.headers["date"])
