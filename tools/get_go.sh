#!/bin/sh
# Provides a Go that can build the test clients: the machine's own if it is new enough, otherwise the one from Debian
# unstable, unpacked into a folder.
#
# usage: get_go.sh DIR        installs it as DIR/bin/go; does nothing if that already works
set -eu

# The newest release required by any go.mod of the test clients.
wanted_minor=26

fail() {
  printf 'get_go: %s\n' "$*" >&2
  exit 1
}

# The second number of the version of the given Go: 26 for go1.26.8.
minor_version() {
  "$1" env GOVERSION 2>/dev/null | sed -n 's/^go1\.\([0-9]*\).*/\1/p'
}

is_new_enough() {
  minor=$(minor_version "$1")
  [ "${minor:-0}" -ge "$wanted_minor" ]
}

[ $# = 1 ] || fail "usage: get_go.sh DIR"
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$1/bin"
target=$(CDPATH='' cd -- "$1" && pwd)
if [ -x "$target/bin/go" ] && is_new_enough "$target/bin/go"; then
  exit 0
fi

if own=$(command -v go) && is_new_enough "$own"; then
  printf '#!/bin/sh\nexec %s "$@"\n' "$own" >"$target/bin/go"
else
  "$here/unpack_unstable.sh" "$target/unstable" 'golang-1[.][0-9]+-go' 'golang-1[.][0-9]+-src'
  # The newest version.
  root=$(ls -d "$target"/unstable/usr/lib/go-1.* | sort -V | tail -n 1)
  printf '#!/bin/sh\nGOROOT=%s exec %s/bin/go "$@"\n' "$root" "$root" >"$target/bin/go"
fi
chmod +x "$target/bin/go"
is_new_enough "$target/bin/go" || fail "the Go that was found is older than 1.$wanted_minor."
