"""Several services behind one server: told apart by host, dated by the world's clock, busy when told to be."""

from __future__ import annotations

import httpx2

from caia_replay.loopback import LoopbackServer
from caia_replay.origin.services.service import Answer, Asked, Services


class Echo:
    """A service that repeats what it was asked."""

    def __init__(self, origin: str) -> None:
        self.origins = (origin,)

    def answer(self, asked: Asked, now: int) -> Answer:
        return Answer(200, {"who": self.origins[0], "path": asked.segments(), "asked": dict(asked.parameters),
                            "body": asked.body.decode(), "now": now}, {"X-Used": "1"})  # fmt: skip

    def busy(self, asked: Asked) -> Answer:
        return Answer(429, {"who": self.origins[0]}, {"Retry-After": "1"})


def test_services_are_told_apart_by_the_host_they_are_called_by() -> None:
    """Each answers for its own origin, decoded path and parameters included; an unknown host is nobody's."""
    app = Services([Echo("https://a.example"), Echo("https://b.example")], now=1_714_564_800)
    with LoopbackServer(app) as server, httpx2.Client(trust_env=False) as client:
        for host in ("a.example", "b.example"):
            reply = client.post(f"{server.url}/x%20y/z?q=&n=%E4%BB%B7", headers={"Host": host}, content=b"hey")
            told = {"who": f"https://{host}", "path": ["x y", "z"], "asked": {"q": "", "n": "价"}, "body": "hey",
                    "now": app.now}  # fmt: skip
            assert (reply.json(), reply.headers["x-used"]) == (told, "1")
            assert reply.headers["date"] == "Wed, 01 May 2024 12:00:00 GMT"
        assert client.get(f"{server.url}/x").status_code == 404
        assert server.host_map == {"https://a.example": server.url, "https://b.example": server.url}


def test_one_service_alone_answers_whatever_it_is_called() -> None:
    """A client that is pointed at the server's own address is answered; every third request is told "later"."""
    app = Services([Echo("https://a.example")], now=0, busy_every=3)
    with LoopbackServer(app) as server, httpx2.Client(trust_env=False) as client:
        replies = [client.get(f"{server.url}/x") for _ in range(6)]
    assert [reply.status_code for reply in replies] == [200, 200, 429, 200, 200, 429]
    assert replies[2].headers["retry-after"] == "1"
