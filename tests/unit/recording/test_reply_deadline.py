"""A whole reply has a limit in time, however its bytes come."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator

import httpcore2
import httpx2
import pytest

from caia_replay.recording.reply_deadline import ReplyDeadline, TimedTransport

HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"


class Clock:
    """A second passes each time somebody looks."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as found:
        yield found


def dripping(listener: socket.socket, head: bytes, drop: bytes) -> threading.Thread:
    """A server that sends ``head``, and then ``drop`` for as long as anybody listens."""

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65_536)
            try:
                connection.sendall(head)
                while True:
                    connection.sendall(drop)
            except OSError:
                return

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize(
    ("head", "drop"), [(b"HTTP/1.1 200 OK\r\n", b"A: b\r\n"), (HEAD.replace(b"4", b"99999999999"), b"x")]
)
def test_a_trickle_ends(listener: socket.socket, head: bytes, drop: bytes) -> None:
    """In the headers as in the body: nothing is waited for beyond the limit, whatever the limit of one read."""
    deadline = ReplyDeadline(Clock())
    thread = dripping(listener, head, drop)
    deadline.start(6)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    with (
        TimedTransport(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), deadline) as transport,
        pytest.raises(httpx2.ReadTimeout, match="no whole reply within 6 s"),
    ):
        transport.handle_request(httpx2.Request("GET", url)).read()
    thread.join(10)
    assert not thread.is_alive()


@pytest.mark.parametrize(("looks", "words"), [(9, "timed out"), (5, "no whole reply within 5 s")])
def test_a_silence_is_told_by_the_limit_that_ended_it(listener: socket.socket, looks: int, words: str) -> None:
    """The limit of one read, or what is left of the whole reply."""
    deadline = ReplyDeadline(Clock())
    deadline.start(looks)
    request = httpx2.Request("GET", f"http://127.0.0.1:{listener.getsockname()[1]}/")
    request.extensions["timeout"] = httpx2.Timeout(0.02).as_dict()
    with (
        TimedTransport(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), deadline) as transport,
        pytest.raises(httpx2.ReadTimeout, match=words),
    ):
        transport.handle_request(request)


def test_what_is_left_bounds_every_read() -> None:
    """At most what the caller allows for one; every thread has its own, and none before it has started."""
    deadline = ReplyDeadline(Clock())
    assert (deadline.left_s(3), deadline.left_s(None)) == (3, None)
    deadline.start(5)
    assert [deadline.left_s(3.5), deadline.left_s(None), deadline.left_s(9)] == [3.5, 3, 2]
    other: list[float | None] = []
    thread = threading.Thread(target=lambda: other.append(deadline.left_s(9)))
    thread.start()
    thread.join()
    assert other == [9] and deadline.left_s(9) == 1
    with pytest.raises(httpcore2.ReadTimeout, match="within 5 s"):
        deadline.left_s(9)
    deadline.start(5)
    assert deadline.left_s(9) == 4
