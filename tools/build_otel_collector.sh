#!/bin/sh
# Builds the OpenTelemetry Collector of tests/interop/otel_collector/manifest.yaml with OpenTelemetry's own builder.
#
# usage: build_otel_collector.sh DIR     installs it there as otelcol-lockstep, unless it is up to date
#
# Needs Go and a module proxy; takes some minutes the first time.
set -eu

fail() {
  printf 'build_otel_collector: %s\n' "$*" >&2
  exit 1
}

[ $# = 1 ] || fail "usage: build_otel_collector.sh DIR"
mkdir -p "$1"
folder=$(CDPATH='' cd -- "$1" && pwd)
target=$folder/otelcol-lockstep
manifest=$(CDPATH='' cd -- "$(dirname -- "$0")/../tests/interop/otel_collector" && pwd)/manifest.yaml
version=$(sed -n 's|^ *version: ||p' "$manifest")
[ -n "$version" ] || fail "the manifest has no version."
if [ -x "$target" ] && "$target" --version 2>&1 | grep -q "version $version$"; then
  exit 0
fi

command -v go >/dev/null || fail "needs Go: see https://go.dev/dl, or run the tests without it."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
echo "build_otel_collector: building the collector $version"
# The builder writes the program's source to the path in the manifest. By itself, it would also make Go fetch the modules
# of all tests; the program only needs its own.
sed "s|^dist:|dist:\n  output_path: $scratch/out|" "$manifest" >"$scratch/manifest.yaml"
(
  cd "$scratch"
  go run "go.opentelemetry.io/collector/cmd/builder@v$version" --config manifest.yaml \
    --skip-get-modules --skip-compilation
  cd out
  CGO_ENABLED=0 go build -mod=mod -trimpath -ldflags "-s -w" -o otelcol-lockstep .
) || fail "go could not build it: see above; it needs a module proxy (GOPROXY)."
mv "$scratch/out/otelcol-lockstep" "$target"
