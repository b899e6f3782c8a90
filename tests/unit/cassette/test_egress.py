import asyncio
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from typing import Any

import httpx2
import pytest
import requests
from hypothesis import example, given
from hypothesis import strategies as st

from caia_replay.cassette.egress import egress_guard
from caia_replay.errors import CaiaReplayError, EgressRefused

OUTSIDE = "192.0.2.1"  # reserved for documentation: nobody answers there


def udp() -> socket.socket:
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)


def with_socket(act: Callable[[socket.socket], Any]) -> Any:
    with udp() as used:
        used.setblocking(False)
        return act(used)


async def streams() -> None:
    await asyncio.open_connection(OUTSIDE, 443)


WAYS: dict[str, Callable[[], Any]] = {
    "connect": lambda: with_socket(lambda used: used.connect((OUTSIDE, 443))),
    "connect_ex": lambda: with_socket(lambda used: used.connect_ex((OUTSIDE, 443))),
    "sendto": lambda: with_socket(lambda used: used.sendto(b"x", (OUTSIDE, 53))),
    "sendmsg": lambda: with_socket(lambda used: used.sendmsg([b"x"], [], 0, (OUTSIDE, 53))),
    "create_connection": lambda: socket.create_connection((OUTSIDE, 443), 1),
    "getaddrinfo": lambda: socket.getaddrinfo(OUTSIDE, 443),
    "gethostbyname": lambda: socket.gethostbyname(OUTSIDE),
    "gethostbyname_ex": lambda: socket.gethostbyname_ex(OUTSIDE),
    "gethostbyaddr": lambda: socket.gethostbyaddr(OUTSIDE),
    "getnameinfo": lambda: socket.getnameinfo((OUTSIDE, 443), 0),
    "asyncio": lambda: asyncio.run(streams()),
    "httpx2": lambda: httpx2.Client(trust_env=False).get(f"http://{OUTSIDE}/"),
    "requests": lambda: requests.get(f"http://{OUTSIDE}/", timeout=1),
}


@pytest.mark.allow_hosts([OUTSIDE])  # the guard must be what refuses, not the test run's own
@pytest.mark.parametrize("way", WAYS)
def test_no_way_out_of_python_is_left(way: str) -> None:
    """Every socket call, every look-up and every client raises, and the message names host and caller."""
    with egress_guard(), pytest.raises(EgressRefused) as caught:
        WAYS[way]()
    assert caught.value.host == OUTSIDE
    assert f"'{OUTSIDE}' is refused while replaying; asked by " in str(caught.value)
    assert isinstance(caught.value, CaiaReplayError)


def test_the_caller_is_the_first_code_outside_the_standard_library() -> None:
    """Our own line is named, not socket.py's; a client library's line is named from where it is installed."""
    with egress_guard(), pytest.raises(EgressRefused) as caught:
        socket.create_connection((OUTSIDE, 443), 1)
    name, _, line = caught.value.caller.rpartition(":")
    assert Path(name).name == Path(__file__).name
    assert "create_connection" in Path(__file__).read_text().splitlines()[int(line) - 1]
    with egress_guard(), pytest.raises(EgressRefused) as caught:
        requests.get(f"http://{OUTSIDE}/", timeout=1)
    assert caught.value.caller.startswith("urllib3/")


@given(address=st.ip_addresses())
@example(address=IPv4Address("127.8.9.10"))
@example(address=IPv4Address("0.0.0.0"))
@example(address=IPv6Address("::1"))
@example(address=IPv6Address("::"))
@example(address=IPv6Address("::ffff:127.0.0.1"))
@example(address=IPv6Address("::ffff:192.0.2.1"))
def test_exactly_loopback_is_at_home(address: IPv4Address | IPv6Address) -> None:
    """Of all addresses those of this machine alone are let through, IPv4 ones written as IPv6 included."""
    inner = address.ipv4_mapped or address if isinstance(address, IPv6Address) else address
    at_home = inner.is_loopback or int(inner) == 0
    with egress_guard():
        try:
            sys.audit("socket.getnameinfo", (str(address), 443))
            refused = False
        except EgressRefused:
            refused = True
    assert refused is not at_home


def test_loopback_and_unix_sockets_work() -> None:
    """A server on this machine is reached by number and by name, and so is a Unix socket."""
    with egress_guard(), socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for host in ("127.0.0.1", "localhost", "LOCALHOST"):
            with socket.create_connection((host, port), 5), server.accept()[0]:
                pass
        left, right = socket.socketpair(socket.AF_UNIX)
        with left, right, udp() as used:
            left.sendmsg([b"x"])
            used.connect(("127.0.0.1", port))
            used.sendmsg([b"x"])
            assert right.recv(1) == b"x"


class LyingText(str):
    """Its characters are one host, what its methods say another; C looks up what ``encode`` gives."""

    def _local(self, *_: Any) -> str:
        return "localhost"

    __str__ = __repr__ = __format__ = lower = casefold = strip = removesuffix = _local
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True

    def encode(self, *_: Any) -> bytes:
        return OUTSIDE.encode()


class LyingBytes(bytes):
    """Its bytes are one host, what it decodes to another."""

    def decode(self, *_: Any) -> str:
        return "localhost"


class LyingNumber(int):
    """A number that looks like a host."""

    def __str__(self) -> str:
        return "localhost"


class LyingTuple(tuple[Any, ...]):
    """An address whose first item is not what it says."""

    def __getitem__(self, at: Any) -> Any:
        return "localhost"


class LyingSocket(socket.socket):
    """An internet socket that calls itself one of this machine."""

    family = socket.AF_UNIX


LIES: dict[str, Callable[[], Any]] = {
    "methods of a text": lambda: sys.audit("socket.getaddrinfo", LyingText(OUTSIDE), 443, 0, 0, 0),
    "bytes of a text": lambda: sys.audit("socket.getaddrinfo", LyingText("localhost"), 443, 0, 0, 0),
    "a text in an address": lambda: sys.audit("socket.connect", udp(), (LyingText(OUTSIDE), 443)),
    "an allowed text": lambda: sys.audit("socket.gethostbyname", LyingText("a.example")),
    "bytes": lambda: sys.audit("socket.gethostbyname", LyingBytes(OUTSIDE.encode())),
    "a number": lambda: sys.audit("socket.gethostbyname", LyingNumber(3221225985)),
    "a tuple": lambda: sys.audit("socket.connect", udp(), LyingTuple((OUTSIDE, 443))),
    "a tuple looked up": lambda: socket.getnameinfo(LyingTuple((OUTSIDE, 443)), socket.NI_NUMERICHOST),
    "a family": lambda: with_lying_socket(),
    "a scope on no address": lambda: sys.audit("socket.getaddrinfo", "127.0.0.1%:x.evil.example", 443, 0, 0, 0),
}


def with_lying_socket() -> None:
    with LyingSocket(socket.AF_INET, socket.SOCK_DGRAM) as used:
        used.connect((OUTSIDE, 443))


@pytest.mark.allow_hosts([OUTSIDE])
@pytest.mark.parametrize("lie", LIES)
def test_a_host_is_what_the_operating_system_reads(lie: str) -> None:
    """No object gets out by telling the guard another host, or another family, than it gives to C."""
    with egress_guard({LyingText("a.example"), "b.example"}), pytest.raises(EgressRefused):
        LIES[lie]()


def test_a_host_may_be_written_in_any_way() -> None:
    """Any spelling and any plain type of a host that is at home, or allowed, is let through."""
    at_home = ("LOCALHOST.", b"localhost", bytearray(b"127.0.0.1"), "::1%lo", b"0:0:0:0:0:0:0:1", None)
    with egress_guard({"b.example.", "2001:db8::1"}):
        for host in (*at_home, "B.example", b"b.EXAMPLE", "2001:DB8::0:1"):
            sys.audit("socket.getaddrinfo", host, 443, 0, 0, 0)


def test_other_families_are_not_at_home() -> None:
    """A socket of a family that is neither IP nor local to the kernel is refused, whatever its address looks like."""

    class Foreign:
        family = 40

    with egress_guard(), pytest.raises(EgressRefused):
        sys.audit("socket.connect", Foreign(), ("127.0.0.1", 1))


def test_the_endpoint_is_let_through_with_the_addresses_it_resolves_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name in any spelling, and each address a look-up gave; no other name, no other address."""
    given_out = iter(["192.0.2.7", "192.0.2.8"])

    def resolver(host: Any, *arguments: Any, **options: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(given_out), 443))]

    monkeypatch.setattr(socket, "getaddrinfo", resolver)
    with egress_guard({"API.model.example"}):
        sys.audit("socket.getaddrinfo", b"api.model.example.", 443, 0, 0, 0)
        with pytest.raises(EgressRefused):
            sys.audit("socket.connect", udp(), ("192.0.2.7", 443))
        socket.getaddrinfo("api.model.example", 443)
        sys.audit("socket.connect", udp(), ("192.0.2.7", 443))
        socket.getaddrinfo("other.example", 443)
        for address in ("192.0.2.8", "192.0.2.9"):
            with pytest.raises(EgressRefused):
                sys.audit("socket.connect", udp(), (address, 443))
        with pytest.raises(EgressRefused, match="'evil"):
            sys.audit("socket.getaddrinfo", "evil.example", 443, 0, 0, 0)
    assert socket.getaddrinfo is resolver


def test_a_guard_that_ended_refuses_nothing() -> None:
    """Nested guards may end in any order; what any of those left refuses is refused; after the last nothing is."""
    before = socket.getaddrinfo
    outer, inner = egress_guard({"a.example"}), egress_guard({"a.example", "b.example"})
    outer.__enter__()
    inner.__enter__()
    sys.audit("socket.gethostbyname", "a.example")
    with pytest.raises(EgressRefused):
        sys.audit("socket.gethostbyname", "b.example")
    outer.__exit__(None, None, None)
    sys.audit("socket.gethostbyname", "b.example")
    with pytest.raises(EgressRefused):
        sys.audit("socket.gethostbyname", "c.example")
    inner.__exit__(None, None, None)
    sys.audit("socket.gethostbyname", "c.example")
    assert socket.getaddrinfo is before


def test_every_thread_is_guarded() -> None:
    """A thread started before the guard is held by it as well."""
    start, caught = threading.Event(), []

    def out() -> None:
        start.wait(10)
        try:
            sys.audit("socket.gethostbyname", "x.example")
        except EgressRefused as fault:
            caught.append(fault.host)

    thread = threading.Thread(target=out)
    thread.start()
    with egress_guard():
        start.set()
        thread.join(10)
    assert caught == ["x.example"]


@pytest.mark.check
def test_importing_it_changes_nothing() -> None:
    """A program that only imports the package gets no audit hook and keeps its own resolver."""
    program = (
        "import socket; before = socket.getaddrinfo\n"
        "import sys; added = []\n"
        "sys.addaudithook(lambda event, _: event == 'sys.addaudithook' and added.append(event))\n"
        "import caia_replay.cassette.egress as egress, caia_replay.runner.worker, caia_replay.cli\n"
        "assert added == [] and socket.getaddrinfo is before\n"
        "with egress.egress_guard(): pass\n"
        "assert len(added) == 1 and socket.getaddrinfo is before\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=600)
