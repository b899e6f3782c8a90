"""A command in a network of its own that holds the proxy and nothing else (Linux).

Run as a program between us and the command: enters a new network namespace, listens there, hands the listening socket
back, and becomes the command. Nothing of the command can reach another machine, whatever it does with proxies.

    python isolated.py SOCKET PORT COMMAND...
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
import sys
from pathlib import Path

PORT = 3128
"""In a new namespace every port is free."""
_NEW_USER, _NEW_NET = 0x10000000, 0x40000000
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1


def main() -> None:
    """Exits with 126 where the system gives no network of its own, 127 where there is no such command."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    try:
        listening = _listen(int(sys.argv[2]))
    except (OSError, AttributeError) as fault:  # no such call outside Linux
        channel.sendall((getattr(fault, "strerror", "") or str(fault)).encode())
        sys.exit(126)
    socket.send_fds(channel, [b"ready"], [listening.fileno()])
    channel.recv(1)  # until somebody listens
    channel.close()
    listening.close()
    try:
        os.execvp(sys.argv[3], sys.argv[3:])
    except OSError:
        sys.exit(127)


def _listen(port: int) -> socket.socket:
    user, group = os.getuid(), os.getgid()
    if ctypes.CDLL(None, use_errno=True).unshare(_NEW_USER | _NEW_NET):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        Path("/proc/self", name).write_text(text)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        asked = struct.pack("16sH14x", b"lo", 0)
        flags = struct.unpack("16sH", fcntl.ioctl(control, _GET_FLAGS, asked)[:18])[1]
        fcntl.ioctl(control, _SET_FLAGS, struct.pack("16sH14x", b"lo", flags | _UP))
    return socket.create_server(("127.0.0.1", port), backlog=1024)


if __name__ == "__main__":
    main()
