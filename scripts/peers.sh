#!/bin/sh
# Brings the programs of other people that this one is measured against and driven by, apart from .venv, because their
# packages want other versions than ours and each other: LiteLLM's proxy into .cache/peers, Inspect AI into
# .cache/inspect, vendors' clients (ccxt, PyGithub) into .cache/clients, Ape into .cache/ape, llama.cpp with a small model into .cache/local,
# MkDocs and proselint, which build and check the docs, into .cache/docs, and each framework of examples/agents into a
# folder of its name. Needs the network once; returns at once when all is there.
#
# sh scripts/peers.sh [NAME ...]     those that are named (peers, inspect, local, openai_agents), or peers and inspect
#
# Prints each environment's Python. Exit codes: 0 ready, 2 something a person must put right.
set -eu

cd "$(dirname "$0")/.."

wanted() {
    pwd -P
    [ "$name" = inspect ] && cksum "$1" requirements-eee.lock pyproject.toml || cksum "$1"
}

# Installs for that Python with the pip of .venv; a pip of its own and compiled files took 15 s more for each.
into() {
    python=$1
    shift
    .venv/bin/python -m pip --python "$python" install --quiet --disable-pip-version-check --no-deps --no-compile "$@"
}

# This package, for Inspect loads our tasks by its entry point; and what judges our EEE records: all that it imports is
# there, and it runs on 3.11, too, though it asks for 3.12.
ours() {
    into "$1" --no-build-isolation --editable . && into "$1" --require-hashes --ignore-requires-python -r requirements-eee.lock
}

for name in ${*:-peers inspect}; do
    place=.cache/$name
    lock=requirements-$name.lock
    [ -f "$lock" ] || lock=examples/agents/$name.lock
    if ! [ -x "$place/bin/python" ] || ! wanted "$lock" | cmp -s - "$place/.installed"; then
        # Never mended in place: what a killed pip leaves looks installed and is not.
        rm -rf "$place"
        mkdir -p .cache
        .venv/bin/python -m venv --without-pip "$place" || {
            echo "peers: no environment could be made in $place; its own message is above" >&2
            exit 2
        }
        into "$place/bin/python" --require-hashes -r "$lock" || {
            echo "peers: pip could not install $lock; its own message is above" >&2
            exit 2
        }
        [ "$name" != inspect ] || ours "$place/bin/python" || {
            echo "peers: pip could not install this package into $place; its own message is above" >&2
            exit 2
        }
        wanted "$lock" >"$place/.installed"
    fi
    echo "$place/bin/python"
done
