#!/bin/sh
# Puts today's Prometheus, VictoriaMetrics and vmagent (the packages of Debian unstable) into a folder, without
# installing anything.
#
# usage: get_peers.sh DIR        does nothing when DIR has them already
set -eu

fail() {
  printf 'get_peers: %s\n' "$*" >&2
  exit 1
}

[ $# = 1 ] || fail "usage: get_peers.sh DIR"
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$1"
target=$(CDPATH='' cd -- "$1" && pwd)
if [ -x "$target/prometheus" ] && [ -x "$target/victoria-metrics" ] && [ -x "$target/vmagent" ]; then
  exit 0
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$here/unpack_unstable.sh" "$scratch" prometheus victoria-metrics
for program in prometheus victoria-metrics vmagent; do
  [ -x "$scratch/usr/bin/$program" ] || fail "the package has no usr/bin/$program."
  cp "$scratch/usr/bin/$program" "$target/"
done
