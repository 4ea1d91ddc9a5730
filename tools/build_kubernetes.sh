#!/bin/sh
# Builds the program in tests/interop/kubernetes: a Kubernetes API server and an etcd.
#
# usage: build_kubernetes.sh DIR     installs it there as kubernetes-server, unless it is up to date
#
# Needs Go (the release in go.mod or newer) and a module proxy; takes some minutes the first time.
set -eu

fail() {
  printf 'build_kubernetes: %s\n' "$*" >&2
  exit 1
}

[ $# = 1 ] || fail "usage: build_kubernetes.sh DIR"
mkdir -p "$1"
target=$(CDPATH='' cd -- "$1" && pwd)/kubernetes-server
cd "$(dirname -- "$0")/../tests/interop/kubernetes"
# The files of a fresh checkout are new, so their contents are compared.
wanted=$(cat go.mod go.sum ./*.go | sha256sum)
if [ -x "$target" ] && [ "$(cat "$target.version" 2>/dev/null)" = "$wanted" ]; then
  exit 0
fi
version=$(sed -n 's|.*k8s.io/kubernetes v\([0-9.]*\).*|\1|p' go.mod)
[ -n "$version" ] || fail "go.mod does not contain k8s.io/kubernetes."

command -v go >/dev/null || fail "needs Go: see https://go.dev/dl, or run the tests without it."
echo "build_kubernetes: building the API server of Kubernetes $version"
# Which interfaces it serves follows from its version.
CGO_ENABLED=0 go build -p 2 -trimpath -buildvcs=false \
  -ldflags "-s -w -X k8s.io/component-base/version.gitVersion=v$version" -o "$target" . ||
  fail "go could not build it: see above; it needs a module proxy (GOPROXY) and the Go version in go.mod."
printf '%s\n' "$wanted" >"$target.version"
