"""Deadlines under every network operation, over real sockets."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import httpcore2
import pytest

from caia_replay.errors import ModelFault
from caia_replay.models.deadline import Deadline, DeadlineBackend


@pytest.fixture
def pair() -> Iterator[tuple[Deadline, httpcore2.NetworkStream, socket.socket]]:
    """A deadline, a stream under it, and the other side of the stream."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        deadline = Deadline(9)
        stream = DeadlineBackend(deadline).connect_tcp("127.0.0.1", listener.getsockname()[1])
        other, _ = listener.accept()
    with other:
        yield deadline, stream, other
    stream.close()


def test_what_is_left_shrinks_and_ends() -> None:
    """Without an end the whole limit is left; past it there is a fault, whatever was asked."""
    deadline = Deadline(9)
    assert (deadline.left_s(5), deadline.left_s(50), deadline.left_s()) == (5, 9, 9)
    deadline.set(time.monotonic() + 3)
    assert 2 < deadline.left_s(5) <= 3 and deadline.left_s(1) == 1
    deadline.set(time.monotonic())
    with pytest.raises(ModelFault, match="within 9 s") as caught:
        deadline.left_s(1)
    assert caught.value.reason == "timeout"


def test_every_thread_has_its_own() -> None:
    """One run's end is not another's."""
    deadline = Deadline(9)
    deadline.set(time.monotonic() - 1)
    left: list[float] = []
    other = threading.Thread(target=lambda: left.append(deadline.left_s(5)))
    other.start()
    other.join()
    assert left == [5]


def test_a_trickle_does_not_begin_the_time_again(
    pair: tuple[Deadline, httpcore2.NetworkStream, socket.socket],
) -> None:
    """Bytes that are there are not read once the time is over."""
    deadline, stream, other = pair
    other.sendall(b"abc")
    deadline.set(time.monotonic() + 60)
    assert stream.read(1, timeout=60) == b"a"
    deadline.set(time.monotonic())
    for act in (lambda: stream.read(1, timeout=60), lambda: stream.write(b"x", timeout=60)):
        with pytest.raises(ModelFault):
            act()


def test_silence_ends_when_the_time_does(pair: tuple[Deadline, httpcore2.NetworkStream, socket.socket]) -> None:
    """A read that may take a minute ends with what is left."""
    deadline, stream, _ = pair
    deadline.set(time.monotonic() + 0.05)
    with pytest.raises(httpcore2.ReadTimeout):
        stream.read(1, timeout=60)


def test_a_server_that_does_not_read_ends_a_request_too(
    pair: tuple[Deadline, httpcore2.NetworkStream, socket.socket],
) -> None:
    """Sending is bounded like reading."""
    deadline, stream, _ = pair
    deadline.set(time.monotonic() + 0.1)
    with pytest.raises((httpcore2.WriteTimeout, ModelFault)):
        stream.write(b"x" * 50_000_000, timeout=60)


def test_whole_texts_go_through(pair: tuple[Deadline, httpcore2.NetworkStream, socket.socket]) -> None:
    """Sending in pieces loses nothing."""
    deadline, stream, other = pair
    deadline.set(time.monotonic() + 60)
    data = bytes(range(256)) * 300
    got = bytearray()

    def read() -> None:
        while len(got) < len(data):
            got.extend(other.recv(65_536))

    reader = threading.Thread(target=read)
    reader.start()
    stream.write(data)
    reader.join()
    assert bytes(got) == data
    other.sendall(b"y")
    assert stream.read(9) == b"y" and stream.get_extra_info("server_addr") == other.getsockname()


def test_nobody_connects_after_the_end() -> None:
    """Connecting and waiting are bounded as well."""
    deadline = Deadline(9)
    deadline.set(time.monotonic())
    with pytest.raises(ModelFault):
        DeadlineBackend(deadline).connect_tcp("127.0.0.1", 1)
    with pytest.raises(ModelFault):
        DeadlineBackend(deadline).sleep(1)
