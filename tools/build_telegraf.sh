#!/bin/sh
# Builds Telegraf for tests/interop from its Go module, with only the plugins that the tests use.
#
# usage: build_telegraf.sh DIR     installs it there as telegraf, unless it is up to date
#
# Needs Go and a module proxy; takes some minutes the first time.
set -eu

version=1.37.2
plugins='custom inputs.file inputs.socket_listener inputs.statsd outputs.http outputs.influxdb outputs.influxdb_v2'
plugins="$plugins parsers.graphite parsers.influx parsers.prometheus serializers.influx serializers.prometheusremotewrite"

fail() {
  printf 'build_telegraf: %s\n' "$*" >&2
  exit 1
}

[ $# = 1 ] || fail "usage: build_telegraf.sh DIR"
mkdir -p "$1"
folder=$(CDPATH='' cd -- "$1" && pwd)
# The version and plugins that the existing program was built with.
stamp=$folder/telegraf.built-of
if [ -x "$folder/telegraf" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$version: $plugins" ]; then
  exit 0
fi

command -v go >/dev/null || fail "needs Go: see https://go.dev/dl, or run the tests without it."
echo "build_telegraf: building Telegraf $version"
GOBIN=$folder CGO_ENABLED=0 go install -trimpath -tags "$plugins" \
  -ldflags "-s -w -X github.com/influxdata/telegraf/internal.Version=$version" \
  "github.com/influxdata/telegraf/cmd/telegraf@v$version" ||
  fail "go could not build it: see above; it needs a module proxy (GOPROXY)."
printf '%s\n' "$version: $plugins" >"$stamp"
