#!/bin/sh
# Builds the Prometheus version with which lockstep's PromQL is compatible, from the Go module that
# tests/differential/prometheus pins: it is newer than Debian's. The web interface is left out, and all service discovery
# but that of Kubernetes.
#
# usage: build_prometheus.sh DIR     installs it there as prometheus-next, unless it is up to date
#
# Needs Go (the release in go.mod or newer) and a module proxy; takes some minutes the first time.
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
[ -n "$version" ] || fail "go.mod does not contain github.com/prometheus/prometheus."
tags=remove_all_sd,enable_kubernetes_sd
if [ -x "$target" ] && said=$("$target" --version 2>&1) && echo "$said" | grep -q "version $version " &&
  echo "$said" | grep -q "tags: *$tags\$"; then
  exit 0
fi

command -v go >/dev/null || fail "needs Go: see https://go.dev/dl, or run the tests without it."
echo "build_prometheus: building Prometheus $version"
go build -trimpath -buildvcs=false -tags "$tags" \
  -ldflags "-s -w -X github.com/prometheus/common/version.Version=$version" \
  -o "$target" github.com/prometheus/prometheus/cmd/prometheus ||
  fail "go could not build it: see above; it needs a module proxy (GOPROXY) and the Go version in go.mod."
