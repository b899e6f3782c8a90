"""Behaviour of the raw JSON-RPC connection, against servers that misbehave."""

from __future__ import annotations

import socket
import threading
from typing import Any

import pytest

from caia_replay.chain.rpc_connection import NodeRefusal, RpcConnection
from caia_replay.errors import ForkFault, WallLimit


def served_once(reply: bytes) -> int:
    """A port where one request gets exactly these bytes, and then the connection closes."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with listener, listener.accept()[0] as connection:
            connection.recv(65_536)
            connection.sendall(reply)

    threading.Thread(target=serve, daemon=True).start()
    return int(listener.getsockname()[1])


def http(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


@pytest.mark.parametrize(
    "reply",
    [
        b"", b"garbage\r\n\r\n", http(b"{"), http(b"3"), http(b'{"id":9,"result":1}'), http(b'{"id":1}'),
        b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", http(b'{"id":1,"result":NaN}'),
    ],
)  # fmt: skip
def test_a_node_that_breaks_its_protocol_is_a_fault(reply: bytes) -> None:
    """Silence, half replies, foreign ids and non-JSON never become an answer."""
    with pytest.raises(ForkFault, match="eth_x"):
        RpcConnection(served_once(reply), timeout_s=5).ask("eth_x")


@pytest.mark.parametrize(
    ("error", "refusal"),
    [
        (b'{"code":3,"message":"execution reverted","data":"0xaa"}', NodeRefusal(3, "execution reverted", "0xaa")),
        (b'{"code":-32000,"message":"no","data":"0x"}', NodeRefusal(-32000, "no")),
        (b'"odd"', NodeRefusal(0, "odd")),
    ],
)
def test_a_refusal_keeps_the_nodes_words_and_revert_data(error: bytes, refusal: NodeRefusal) -> None:
    """Code, message and data reach the caller; the model is told message and data."""
    found: Any = RpcConnection(served_once(http(b'{"id":1,"error":%s}' % error)), timeout_s=5).ask("eth_x")
    assert found == refusal
    assert refusal.message in str(refusal.as_tool_error())
    assert (refusal.data or "") in str(refusal.as_tool_error())


def test_a_node_that_takes_too_long_is_a_limit_of_real_time_and_no_fault() -> None:
    """Another machine would have had the answer, so nobody may certify what comes of it."""
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        pytest.raises(WallLimit, match=r"eth_x took longer than 0\.2 s"),
    ):
        RpcConnection(silent.getsockname()[1], timeout_s=0.2).ask("eth_x")


def test_a_refused_demand_is_a_fault() -> None:
    """A call of our own that must succeed names itself and the reason."""
    port = served_once(http(b'{"id":1,"error":{"code":1,"message":"why not"}}'))
    with pytest.raises(ForkFault, match="refused eth_x: why not"):
        RpcConnection(port, timeout_s=5).demand("eth_x")
