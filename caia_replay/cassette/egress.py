"""The egress guard: while it is on, Python sockets and name look-ups of this process stay on this machine.

An audit hook sees what Python code asks of the operating system. It does not see native code (Arrow's S3 client, a
resolver of its own) nor child processes (Anvil): that these stay at home is proved by a run without a network.

What it sees are objects, and the operating system gets what C reads out of them. So it reads them as C does, never
through methods that a subclass may have replaced, and refuses a host where the two could differ.
"""

from __future__ import annotations

import socket
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Any

from caia_replay.errors import EgressRefused

_LOCAL_FAMILIES = frozenset(
    getattr(socket, name) for name in ("AF_UNIX", "AF_NETLINK", "AF_ALG") if hasattr(socket, name)
)
_LOCAL_NAMES = frozenset({"", "localhost"})
_FAMILY: Any = vars(socket.SocketType)["family"]
"""The family that the operating system knows: ``family`` of a subclass may say another."""
_STANDARD_LIBRARY = tuple(sysconfig.get_path(name) for name in ("stdlib", "platstdlib"))
_INSTALLED = tuple(sysconfig.get_path(name) for name in ("purelib", "platlib"))


@contextmanager
def egress_guard(allowed: Iterable[str] = ()) -> Iterator[None]:
    """Refuse every host outside this machine, but ``allowed`` names or addresses, in all threads, until it ends.

    The addresses an allowed name is resolved to are allowed as well. Guards may be nested and may end in any order:
    what one refuses is refused. A refused act raises ``EgressRefused`` from the socket call that asked for it.
    """
    guard = _Guard(allowed)
    with _lock:
        _install()
        _guards.append(guard)
        _observe(True)
    try:
        yield
    finally:
        with _lock:
            _guards[:] = [other for other in _guards if other is not guard]
            _observe(bool(_guards))


class _Guard:
    def __init__(self, allowed: Iterable[str]) -> None:
        self.allowed = {_plain(str.__str__(host)) for host in allowed}
        self.names = frozenset(self.allowed)

    def refuses(self, host: str) -> bool:
        return not _is_local(host) and host not in self.allowed


# An audit hook cannot be taken out again, so there is at most one in a process, and it does nothing without a guard.
_guards: list[_Guard] = []
_installed = False
_lock = threading.Lock()
_resolve: Callable[..., Any] = socket.getaddrinfo


def _install() -> None:
    global _installed
    if not _installed:
        sys.addaudithook(_hook)
        _installed = True


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if not _guards:
        return
    read = _EVENTS.get(event)
    if read is None:
        return
    found = read(*arguments)
    if found is None:
        return
    host = _plain(found[1])
    if any(guard.refuses(host) for guard in tuple(_guards)):
        raise EgressRefused(found[0], host, _caller())


def _of_socket(used: Any, address: Any) -> tuple[str, Any] | None:
    family = _FAMILY.__get__(used) if isinstance(used, socket.SocketType) else None
    if family in _LOCAL_FAMILIES or address is None:  # None: sendmsg on a socket that is connected already
        return None
    is_internet = family in (socket.AF_INET, socket.AF_INET6)
    return "a connection to", _first(address) if is_internet else f"family {family} {address!r}"


def _of_look_up(asked: Any, *_: Any) -> tuple[str, Any] | None:
    return "looking up", _first(asked)


def _first(address: Any) -> Any:
    """The host of an address that is a tuple, and of any other the address itself."""
    return tuple.__getitem__(address, 0) if isinstance(address, tuple) and tuple.__len__(address) else address


_EVENTS: dict[str, Callable[..., tuple[str, Any] | None]] = {
    "socket.connect": _of_socket,
    "socket.sendto": _of_socket,
    "socket.sendmsg": _of_socket,
    "socket.getaddrinfo": _of_look_up,
    "socket.gethostbyname": _of_look_up,
    "socket.gethostbyaddr": _of_look_up,
    "socket.getnameinfo": _of_look_up,
}


def _observe(on: bool) -> None:
    """Have the addresses noted that allowed names resolve to: the audit event comes before they are known.

    Asking a second time instead would not do: large services give other addresses to every look-up.
    """
    global _resolve
    if on and socket.getaddrinfo is not _noting:
        _resolve, socket.getaddrinfo = socket.getaddrinfo, _noting
    elif not on and socket.getaddrinfo is _noting:
        socket.getaddrinfo = _resolve


def _noting(host: Any, *arguments: Any, **options: Any) -> Any:
    found = _resolve(host, *arguments, **options)
    name = _plain(host)
    for guard in tuple(_guards):
        if name in guard.names:
            guard.allowed.update(_plain(entry[4][0]) for entry in found)
    return found


def _plain(host: Any) -> str:
    """A host as it is compared: text, lower case, without a name's last dot and an address's scope.

    A subclass of a text becomes words that name no host: asked for its bytes, it may give C others than these.
    """
    kind = type(host)
    if host is None:
        return ""
    if kind is not str and kind is not bytes and kind is not bytearray:  # by identity: a metaclass may define ==
        return f"a {kind.__name__} in place of a plain text"
    text = (host if kind is str else host.decode("utf-8", "replace")).lower()
    address = _address(text)
    return text.removesuffix(".") if address is None else str(address).partition("%")[0]


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None


def _is_local(host: str) -> bool:
    address = _address(host)
    if address is None:
        return host in _LOCAL_NAMES
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return address.is_loopback or address.is_unspecified  # 0.0.0.0 is this machine, too


def _caller() -> str:
    """``file:line`` of the innermost code that is neither ours nor the standard library's.

    The path is told from where Python imports from, so that it is the same on every machine.
    """
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_plumbing(frame.f_code.co_filename):
        frame = frame.f_back
    path = Path(frame.f_code.co_filename)
    roots = sorted((Path(entry) for entry in sys.path if entry), key=lambda root: -len(str(root)))
    shown = next((path.relative_to(root) for root in roots if path.is_relative_to(root)), Path(path.name))
    return f"{shown}:{frame.f_lineno}"


def _is_plumbing(filename: str) -> bool:
    if filename == __file__ or filename.startswith("<frozen "):
        return True
    return filename.startswith(_STANDARD_LIBRARY) and not filename.startswith(_INSTALLED)
