#!/bin/sh
# Unpacks the current Prometheus and VictoriaMetrics with vmagent, vmalert and vmctl (from the packages of Debian unstable)
# into a folder, without installing anything.
#
# usage: get_peers.sh DIR        does nothing if DIR already has them
set -eu

fail() {
  printf 'get_peers: %s\n' "$*" >&2
  exit 1
}

[ $# = 1 ] || fail "usage: get_peers.sh DIR"
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$1"
target=$(CDPATH='' cd -- "$1" && pwd)
programs='prometheus victoria-metrics vmagent vmalert vmctl'
lacks_some() {
  for program in $programs; do
    [ -x "$target/$program" ] || return 0
  done
  return 1
}
lacks_some || exit 0

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$here/unpack_unstable.sh" "$scratch" prometheus victoria-metrics
for program in $programs; do
  [ -x "$scratch/usr/bin/$program" ] || fail "the package has no usr/bin/$program."
  cp "$scratch/usr/bin/$program" "$target/"
done
