#!/bin/sh
# Brings the programs of other people that this one is measured against and driven by: .cache/peers, apart from .venv,
# because their packages want other versions than ours. Needs the network once; returns at once when all is there.
#
# Prints the environment's Python as its last line. Exit codes: 0 ready, 2 something a person must put right.
set -eu

cd "$(dirname "$0")/.."
PLACE=.cache/peers
LOCK=requirements-peers.lock
STAMP=$PLACE/.installed

wanted() {
    pwd -P
    cksum "$LOCK"
}

if [ -x "$PLACE/bin/python" ] && wanted | cmp -s - "$STAMP"; then
    echo "$PLACE/bin/python"
    exit 0
fi
# Never mended in place: what a killed pip leaves looks installed and is not.
rm -rf "$PLACE"
mkdir -p .cache
.venv/bin/python -m venv "$PLACE" || {
    echo "peers: no environment could be made in $PLACE; its own message is above" >&2
    exit 2
}
"$PLACE/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r "$LOCK" || {
    echo "peers: pip could not install $LOCK; its own message is above" >&2
    exit 2
}
wanted >"$STAMP"
echo "$PLACE/bin/python"
