from pathlib import Path

import httpx2

from caia_replay.bench.http import ConstantTransport, cassette, url
from caia_replay.cassette.cassette import Cassette
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cassette.transport import ReplayTransport


def test_what_is_measured_really_replays(tmp_path: Path) -> None:
    """The benched client gets the recorded body of the last recording, and the floor the same body."""
    path = tmp_path / "c.json"
    path.write_bytes(cassette(25))
    opened = Cassette.open(path)
    body = opened.interactions[-1].body
    with (
        httpx2.Client(transport=ReplayTransport(Recordings([opened]), Cursor())) as replay,
        httpx2.Client(transport=ConstantTransport(body)) as floor,
    ):
        assert replay.get(url(24)).content == floor.get(url(24)).content == body
        assert len(body) > 500
