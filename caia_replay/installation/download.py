"""One file from an address, known by its SHA-256 before it is asked for; what was cut short goes on where it was."""

from __future__ import annotations

import time
from collections.abc import Callable
from hashlib import file_digest
from http.client import HTTPException
from pathlib import Path
from typing import Final
from urllib.request import Request, urlopen

from caia_replay.errors import BadInput

MOST_BYTES: Final = 8 << 30
_BLOCK: Final = 1 << 18
_TELL_EVERY_S: Final = 4.0
_PATIENCE_S: Final = 60.0


def download(url: str, digest: str, folder: Path, say: Callable[[str], None]) -> Path:
    """The file at ``url``, in ``folder``. Raises ``BadInput`` without a digest, for another one, and where the address
    does not answer."""
    if len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
        raise BadInput("a file from an address needs its SHA-256", where="--digest", next_command="--digest DIGEST")
    folder.mkdir(parents=True, exist_ok=True)
    whole, partial = folder / f"{digest}.zip", folder / f"{digest}.partial"
    if whole.is_file():
        return whole
    try:
        _fetch(url, partial, say)
    except (OSError, HTTPException, ValueError) as fault:
        again = "the same command again, which goes on from there"
        raise BadInput(f"could not be downloaded: {fault}", where=url, next_command=again) from None
    with partial.open("rb") as stream:
        found = file_digest(stream, "sha256").hexdigest()
    if found != digest:
        partial.unlink()
        raise BadInput(f"has the SHA-256 {found}, not {digest}", where=url, next_command="the right --digest")
    return partial.replace(whole)


def _fetch(url: str, partial: Path, say: Callable[[str], None]) -> None:
    have = partial.stat().st_size if partial.exists() else 0
    headers = {"Range": f"bytes={have}-"} if have else {}
    with urlopen(Request(url, headers=headers), timeout=_PATIENCE_S) as reply:
        goes_on = reply.status == 206
        done, told = (have if goes_on else 0), time.monotonic()
        say(f"downloading {url}" + (f", from {have / 1e6:.0f} MB on" if goes_on else ""))
        with partial.open("ab" if goes_on else "wb") as file:
            while block := reply.read(_BLOCK):
                done += file.write(block)
                if done > MOST_BYTES:
                    raise ValueError(f"more than {MOST_BYTES >> 30} GB")
                if time.monotonic() - told >= _TELL_EVERY_S:
                    told = time.monotonic()
                    say(f"  {done / 1e6:.0f} MB so far")
        if reply.length:  # read in parts, a reply that breaks off looks like one that ends
            raise HTTPException(f"it broke off {reply.length} bytes before its end")
