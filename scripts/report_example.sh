#!/usr/bin/env bash
# Writes docs/report-example.html: what three policies did on the small suite, three times in each of three arms.
set -euo pipefail
cd "$(dirname "$0")/.."

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
for policy in credulous sceptic oracle; do
    ${CAIA_REPLAY:-.venv/bin/caia-replay} replay --model "policy/$policy" --suite mini-6 --arm clean,attacked,placebo --runs 3 --out "$place/$policy"
done
${CAIA_REPLAY:-.venv/bin/caia-replay} report "$place/credulous" "$place/sceptic" "$place/oracle" --out docs/report-example.html
