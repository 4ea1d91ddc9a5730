#!/bin/sh
# Unpacks packages from Debian unstable, from the mirror that apt already uses, without installing anything.
#
# usage: unpack_unstable.sh DIR PACKAGE ...     PACKAGE may be a regular expression: the newest match is taken
set -eu

fail() {
  printf 'unpack_unstable: %s\n' "$*" >&2
  exit 1
}

[ $# -gt 1 ] || fail "usage: unpack_unstable.sh DIR PACKAGE ..."
mkdir -p "$1"
target=$(CDPATH='' cd -- "$1" && pwd)
shift

site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' |
  grep -v security | head -n 1)
[ -n "$site" ] || fail "found no Debian mirror: run apt-get update first."
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -e "$keyring" ] || keyring=/usr/share/keyrings/debian-archive-keyring.pgp

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/lists/partial"
echo "deb [signed-by=$keyring] $site sid main" >"$scratch/sid.list"

# Runs apt with separate package lists, so that this machine's own stay unchanged. The mirror may lag by some weeks.
apt_sid() {
  program=$1
  shift
  "$program" -o Dir::Etc::sourcelist="$scratch/sid.list" -o Dir::Etc::sourceparts=- \
    -o Dir::State::Lists="$scratch/lists" -o Dir::Cache="$scratch" -o APT::Sandbox::User=root \
    -o Acquire::Check-Valid-Until=false "$@"
}

echo "unpack_unstable: reading the package lists of Debian unstable"
apt_sid apt-get -qq update || fail "could not read the package lists of Debian unstable."
cd "$scratch"
for pattern in "$@"; do
  package=$(apt_sid apt-cache search --names-only "^$pattern\$" | cut -d ' ' -f 1 | sort -V | tail -n 1)
  [ -n "$package" ] || fail "Debian unstable has no package named $pattern."
  echo "unpack_unstable: unpacking $package"
  apt_sid apt-get -qq download "$package" || fail "could not download $package."
done
for deb in *.deb; do
  dpkg -x "$deb" "$target"
done
