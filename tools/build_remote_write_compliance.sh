#!/bin/sh
# Builds the Prometheus project's compliance tests for remote write receivers from their Go module.
#
# usage: build_remote_write_compliance.sh DIR     installs them there as remote_write_receiver.test, unless they
#                                                 are up to date
#
# Needs Go and a module proxy; takes some minutes the first time.
set -eu

module=github.com/prometheus/compliance/remotewrite
version=v0.0.0-20260223092825-818283e1171e

fail() {
  printf 'build_remote_write_compliance: %s\n' "$*" >&2
  exit 1
}

[ $# = 1 ] || fail "usage: build_remote_write_compliance.sh DIR"
mkdir -p "$1"
folder=$(CDPATH='' cd -- "$1" && pwd)
target=$folder/remote_write_receiver.test
stamp=$folder/remote_write_receiver.version
if [ -x "$target" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$version" ]; then
  exit 0
fi

command -v go >/dev/null || fail "needs Go: see https://go.dev/dl, or run the tests without it."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
echo "build_remote_write_compliance: building $version"
source=$(cd "$scratch" && go mod download -json "$module@$version" | sed -n 's/^\t"Dir": "\(.*\)",*$/\1/p')
[ -n "$source" ] || fail "could not fetch $module: it needs a module proxy (GOPROXY)."
# The tests of a module have to be built in the folder of its go.mod, and Go's own copy is read-only.
cp -r "$source/." "$scratch/module"
chmod -R u+w "$scratch"
# Its go.mod requires a Prometheus that is too new for its source: one without the field CreatedTimestamp.
(cd "$scratch/module" && go mod edit -require=github.com/prometheus/prometheus@v0.307.3 &&
  go test -mod=mod -trimpath -c -o "$target" ./receiver) ||
  fail "go could not build it: see above; it needs a module proxy (GOPROXY)."
echo "$version" >"$stamp"
