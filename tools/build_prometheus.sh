#!/bin/sh
# Builds the Prometheus whose language lockstep speaks, of the Go module that tests/differential/prometheus pins:
# newer than the one of Debian. Service discovery and the page are left out.
#
# usage: build_prometheus.sh DIR     puts it there as prometheus-next; does nothing when it is there and right
#
# Needs Go (the release that go.mod names, or newer) and a module proxy; some minutes the first time.
set -eu

fail() {
  printf 'build_prometheus: %s\n' "$*" >&2
  exit 1
}

[ $# = 1 ] || fail "usage: build_prometheus.sh DIR"
mkdir -p "$1"
target=$(CDPATH='' cd -- "$1" && pwd)/prometheus-next
cd "$(dirname -- "$0")/../tests/differential/prometheus"
# v0.314.0 is Prometheus 3.14.0.
version=$(sed -n 's|.*github.com/prometheus/prometheus v0\.\([0-9]\)\([0-9]*\)\.\([0-9]*\).*|\1.\2.\3|p' go.mod)
[ -n "$version" ] || fail "go.mod names no github.com/prometheus/prometheus."
if [ -x "$target" ] && "$target" --version 2>&1 | grep -q "version $version "; then
  exit 0
fi

command -v go >/dev/null || fail "needs Go: see https://go.dev/dl, or run the tests without it."
echo "build_prometheus: building Prometheus $version"
go build -trimpath -buildvcs=false -tags remove_all_sd \
  -ldflags "-s -w -X github.com/prometheus/common/version.Version=$version" \
  -o "$target" github.com/prometheus/prometheus/cmd/prometheus ||
  fail "go could not build it: see above; it needs a module proxy (GOPROXY) and the Go of go.mod."
