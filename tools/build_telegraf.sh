#!/bin/sh
# Builds the Telegraf of tests/interop/senders_test.py from its Go module, with nothing but the plugins that the test uses.
#
# usage: build_telegraf.sh DIR     puts it there as telegraf; does nothing when it is there and right
#
# Needs Go and a module proxy; some minutes the first time.
set -eu

version=1.37.2
plugins='custom inputs.file outputs.http parsers.prometheus serializers.prometheusremotewrite'

fail() {
  printf 'build_telegraf: %s\n' "$*" >&2
  exit 1
}

[ $# = 1 ] || fail "usage: build_telegraf.sh DIR"
mkdir -p "$1"
folder=$(CDPATH='' cd -- "$1" && pwd)
if [ -x "$folder/telegraf" ] && "$folder/telegraf" --version 2>&1 | grep -Eqx "Telegraf $version( .*)?"; then
  exit 0
fi

command -v go >/dev/null || fail "needs Go: see https://go.dev/dl, or run the tests without it."
echo "build_telegraf: building Telegraf $version"
GOBIN=$folder CGO_ENABLED=0 go install -trimpath -tags "$plugins" \
  -ldflags "-s -w -X github.com/influxdata/telegraf/internal.Version=$version" \
  "github.com/influxdata/telegraf/cmd/telegraf@v$version" ||
  fail "go could not build it: see above; it needs a module proxy (GOPROXY)."
