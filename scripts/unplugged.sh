#!/bin/sh
# Runs a command with the network unplugged: only loopback is up, and that is proved before the command starts.
#
#   scripts/unplugged.sh COMMAND [ARGUMENT ...]
#
# Needs Linux with user namespaces (unshare -rn). Exit code: the command's own, or 2 when the network is not gone.
set -eu

[ $# -gt 0 ] || {
    echo "unplugged: name a command, such as: scripts/unplugged.sh make replay" >&2
    exit 2
}

cd "$(dirname "$0")/.."
python=.venv/bin/python
[ -x "$python" ] || python=python3

if [ "${CAIA_UNPLUGGED_STAGE:-}" != inside ]; then
    command -v unshare >/dev/null || {
        echo "unplugged: needs unshare (Linux, util-linux)" >&2
        exit 2
    }
    exec env CAIA_UNPLUGGED_STAGE=inside unshare -rn sh scripts/unplugged.sh "$@"
fi
unset CAIA_UNPLUGGED_STAGE

# A new network namespace has loopback, but down. Machines without iproute2 raise it by ioctl.
ip link set lo up 2>/dev/null || "$python" - <<'PY' || exit 2
import fcntl, socket, struct
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
    flags = struct.unpack("16sH", fcntl.ioctl(control, SIOCGIFFLAGS, struct.pack("16sH14x", b"lo", 0))[:18])[1]
    fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | IFF_UP))
PY

"$python" - <<'PY' || exit 2
import errno, socket, sys
names = sorted(name for _, name in socket.if_nameindex())
if names != ["lo"]:
    sys.exit(f"unplugged: other interfaces than loopback are here: {names}")
with socket.socket() as outward:  # 192.0.2.1 is reserved for documentation: nobody answers there
    outward.settimeout(2)
    if outward.connect_ex(("192.0.2.1", 443)) != errno.ENETUNREACH:
        sys.exit("unplugged: there is a route out of this machine")
with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname(), 2):
    pass
PY
echo "unplugged: only loopback is up" >&2
exec "$@"
