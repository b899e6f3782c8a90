"""A server on loopback: a port of the system's, its origins led to it, gone when the block ends."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

import httpx2

from caia_replay.loopback import LoopbackServer
from caia_replay.origin.services.jina import Jina
from caia_replay.origin.services.serper import Serper
from caia_replay.origin.services.service import Services
from caia_replay.providers.reader import ORIGIN as READER
from caia_replay.providers.search_api import ORIGIN as SEARCH


def test_it_listens_while_the_block_runs_and_no_longer() -> None:
    """Two servers stand side by side; after the block the port refuses."""
    apps = [Services([Serper([]), Jina([])], 0) for _ in range(2)]
    with LoopbackServer(apps[0]) as one, LoopbackServer(apps[1]) as two:
        port = urlsplit(one.url).port or 0
        assert one.url != two.url and one.host_map == {SEARCH: one.url, READER: one.url}
        with httpx2.Client(trust_env=False) as client:
            assert [client.get(f"{url}/x").status_code for url in (one.url, two.url)] == [404, 404]
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0
