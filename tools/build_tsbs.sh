#!/bin/sh
# Builds the programs of the Time Series Benchmark Suite for bench/peers/tsbs.py from the Go module
# that bench/tsbs pins.
#
# usage: build_tsbs.sh DIR     installs them there, unless DIR already has them
#
# Needs Go (the release in go.mod or newer) and a module proxy; takes about two minutes.
set -eu

fail() {
  printf 'build_tsbs: %s\n' "$*" >&2
  exit 1
}

[ $# = 1 ] || fail "usage: build_tsbs.sh DIR"
mkdir -p "$1"
target=$(CDPATH='' cd -- "$1" && pwd)
cd "$(dirname -- "$0")/../bench/tsbs"
programs=$(sed -n 's|.*\(github.com/timescale/tsbs/cmd/[a-z_]*\)$|\1|p' go.mod)
[ -n "$programs" ] || fail "go.mod names no programs."
lacks_some() {
  for program in $programs; do
    [ -x "$target/${program##*/}" ] || return 0
  done
  return 1
}
lacks_some || exit 0

command -v go >/dev/null || fail "needs Go: see https://go.dev/dl."
for program in $programs; do
  CGO_ENABLED=0 go build -p 2 -trimpath -buildvcs=false -ldflags "-s -w" \
    -o "$target/${program##*/}" "$program" ||
    fail "go could not build $program: see above; it needs a module proxy (GOPROXY)."
done
