#!/bin/sh
# Builds Helm from its Go module, to render and lint packaging/helm.
#
# usage: build_helm.sh DIR     installs it there as helm, unless it is up to date
#
# Needs Go and a module proxy; takes some minutes the first time.
set -eu

version=3.22.0

fail() {
  printf 'build_helm: %s\n' "$*" >&2
  exit 1
}

[ $# = 1 ] || fail "usage: build_helm.sh DIR"
mkdir -p "$1"
folder=$(CDPATH='' cd -- "$1" && pwd)
if [ -x "$folder/helm" ] && "$folder/helm" version --short 2>&1 | grep -q "^v$version"; then
  exit 0
fi

command -v go >/dev/null || fail "needs Go: see https://go.dev/dl."
echo "build_helm: building Helm $version"
GOBIN=$folder CGO_ENABLED=0 go install -p 2 -trimpath \
  -ldflags "-s -w -X helm.sh/helm/v3/internal/version.version=v$version" \
  "helm.sh/helm/v3/cmd/helm@v$version" ||
  fail "go could not build it: see above; it needs a module proxy (GOPROXY)."
