#!/bin/sh
# Builds the program in tests/interop/datadog_agent: the Datadog agent's own metric types, serializer and forwarder.
#
# usage: build_datadog_agent.sh DIR     installs it there as datadog-agent-core, unless it is up to date
#
# Needs Go, a C compiler (for the agent's zstd) and a module proxy; takes some minutes the first time.
set -eu

fail() {
  printf 'build_datadog_agent: %s\n' "$*" >&2
  exit 1
}

[ $# = 1 ] || fail "usage: build_datadog_agent.sh DIR"
mkdir -p "$1"
target=$(CDPATH='' cd -- "$1" && pwd)/datadog-agent-core
cd "$(dirname -- "$0")/../tests/interop/datadog_agent"
# The files of a fresh checkout are new, so their contents are compared.
wanted=$(cat go.mod go.sum ./*.go configstreamconsumer/* | sha256sum)
if [ -x "$target" ] && [ "$(cat "$target.version" 2>/dev/null)" = "$wanted" ]; then
  exit 0
fi
# Its modules of version 0.82.3 are those of agent 7.82.3.
version=$(sed -n 's|.*github.com/DataDog/datadog-agent/pkg/serializer v0\.\(.*\)|7.\1|p' go.mod)
[ -n "$version" ] || fail "go.mod does not contain the agent's serializer."

command -v go >/dev/null || fail "needs Go: see https://go.dev/dl, or run the tests without it."
echo "build_datadog_agent: building the core of Datadog's agent $version"
CGO_ENABLED=1 go build -p 2 -trimpath -buildvcs=false -tags zlib,zstd \
  -ldflags "-s -w -X github.com/DataDog/datadog-agent/pkg/version.AgentVersion=$version" -o "$target" . ||
  fail "go could not build it: see above; it needs a module proxy (GOPROXY)."
printf '%s\n' "$wanted" >"$target.version"
