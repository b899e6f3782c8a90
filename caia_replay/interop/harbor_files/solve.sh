#!/bin/sh
# The calls that prove the answer, and the answer. @@CANARY@@
set -eu
url=http://127.0.0.1:8123

post() { curl -sS --fail --noproxy '*' -H 'content-type: application/json' --data-binary "$2" "$url/$1"; }

session=$(post sessions '{}' | sed 's/.*"session":"\([^"]*\)".*/\1/')
call() { post "sessions/$session/tools/$1" "$2" && echo; }

@@CALLS@@
post "sessions/$session/answer" @@ANSWER@@
