#!/bin/sh
# Builds Thanos for tests/interop from the Go module that tests/interop/thanos pins.
#
# usage: build_thanos.sh DIR     installs it there as thanos, unless it is up to date
#
# Needs Go (the release in go.mod or newer) and a module proxy; takes some minutes the first time.
set -eu

fail() {
  printf 'build_thanos: %s\n' "$*" >&2
  exit 1
}

[ $# = 1 ] || fail "usage: build_thanos.sh DIR"
mkdir -p "$1"
target=$(CDPATH='' cd -- "$1" && pwd)/thanos
cd "$(dirname -- "$0")/../tests/interop/thanos"
version=$(sed -n 's|.*github.com/thanos-io/thanos v\([0-9.]*\).*|\1|p' go.mod)
[ -n "$version" ] || fail "go.mod does not contain github.com/thanos-io/thanos."
if [ -x "$target" ] && "$target" --version 2>&1 | grep -q "version $version "; then
  exit 0
fi

command -v go >/dev/null || fail "needs Go: see https://go.dev/dl, or run the tests without it."
echo "build_thanos: building Thanos $version"
# The tags are those of Thanos' own releases.
CGO_ENABLED=0 go build -p 2 -trimpath -buildvcs=false -tags netgo,slicelabels \
  -ldflags "-s -w -X github.com/prometheus/common/version.Version=$version" \
  -o "$target" github.com/thanos-io/thanos/cmd/thanos ||
  fail "go could not build it: see above; it needs a module proxy (GOPROXY) and the Go version in go.mod."
