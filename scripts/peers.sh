#!/bin/sh
# Brings the programs of other people that this one is measured against and driven by, apart from .venv, because their
# packages want other versions than ours and each other: LiteLLM's proxy into .cache/peers, Inspect AI into
# .cache/inspect, and into that this package, too, for Inspect loads our tasks by its entry point. Needs the network
# once; returns at once when all is there.
#
# sh scripts/peers.sh [peers | inspect]     the one that is named, or both
#
# Prints each environment's Python. Exit codes: 0 ready, 2 something a person must put right.
set -eu

cd "$(dirname "$0")/.."

wanted() {
    pwd -P
    cksum "$1" pyproject.toml
}

for name in ${*:-peers inspect}; do
    place=.cache/$name
    lock=requirements-$name.lock
    if ! [ -x "$place/bin/python" ] || ! wanted "$lock" | cmp -s - "$place/.installed"; then
        # Never mended in place: what a killed pip leaves looks installed and is not.
        rm -rf "$place"
        mkdir -p .cache
        .venv/bin/python -m venv "$place" || {
            echo "peers: no environment could be made in $place; its own message is above" >&2
            exit 2
        }
        "$place/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r "$lock" || {
            echo "peers: pip could not install $lock; its own message is above" >&2
            exit 2
        }
        [ "$name" = peers ] || "$place/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable . || {
            echo "peers: pip could not install this package into $place; its own message is above" >&2
            exit 2
        }
        wanted "$lock" >"$place/.installed"
    fi
    echo "$place/bin/python"
done
