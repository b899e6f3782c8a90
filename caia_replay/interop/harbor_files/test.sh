#!/bin/sh
# Runs in a container of its own, with a copy of what the world's container kept in /play. Writes no reward where the
# world broke or its record cannot be proven: then nobody knows what the agent is worth.
set -eu
mkdir -p /logs/verifier
cd /caia
python -c 'from caia_replay.interop.harbor import judge; judge("/play", "/logs/verifier/reward.json")'
