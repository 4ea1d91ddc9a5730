#!/bin/sh
# Builds the program of tests/interop/grafana: Grafana's own Prometheus data source, asked from outside of Grafana.
#
# usage: build_grafana_prometheus.sh DIR     puts it there as grafana-prometheus; does nothing when it is there and right
#
# Needs Go and a module proxy; some minutes the first time.
set -eu

fail() {
  printf 'build_grafana_prometheus: %s\n' "$*" >&2
  exit 1
}

[ $# = 1 ] || fail "usage: build_grafana_prometheus.sh DIR"
mkdir -p "$1"
target=$(CDPATH='' cd -- "$1" && pwd)/grafana-prometheus
cd "$(dirname -- "$0")/../tests/interop/grafana"
# A fresh checkout's files are new, so it is their content that counts.
wanted=$(cat go.mod go.sum ./*.go | sha256sum)
if [ -x "$target" ] && [ "$(cat "$target.version" 2>/dev/null)" = "$wanted" ]; then
  exit 0
fi

command -v go >/dev/null || fail "needs Go: see https://go.dev/dl, or run the tests without it."
echo "build_grafana_prometheus: building"
CGO_ENABLED=0 go build -p 1 -trimpath -buildvcs=false -ldflags "-s -w" -o "$target" . ||
  fail "go could not build it: see above; it needs a module proxy (GOPROXY)."
printf '%s\n' "$wanted" >"$target.version"
