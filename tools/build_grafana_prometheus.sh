#!/bin/sh
# Builds the program in tests/interop/grafana: Grafana's own Prometheus data source, used outside of Grafana.
#
# usage: build_grafana_prometheus.sh DIR     installs it there as grafana-prometheus, unless it is up to date
#
# Needs Go and a module proxy; takes some minutes the first time.
set -eu

fail() {
  printf 'build_grafana_prometheus: %s\n' "$*" >&2
  exit 1
}

[ $# = 1 ] || fail "usage: build_grafana_prometheus.sh DIR"
mkdir -p "$1"
target=$(CDPATH='' cd -- "$1" && pwd)/grafana-prometheus
cd "$(dirname -- "$0")/../tests/interop/grafana"
# The files of a fresh checkout are new, so their contents are compared.
wanted=$(cat go.mod go.sum ./*.go | sha256sum)
if [ -x "$target" ] && [ "$(cat "$target.version" 2>/dev/null)" = "$wanted" ]; then
  exit 0
fi

command -v go >/dev/null || fail "needs Go: see https://go.dev/dl, or run the tests without it."
echo "build_grafana_prometheus: building"
CGO_ENABLED=0 go build -p 1 -trimpath -buildvcs=false -ldflags "-s -w" -o "$target" . ||
  fail "go could not build it: see above; it needs a module proxy (GOPROXY)."
printf '%s\n' "$wanted" >"$target.version"
