#!/bin/sh
# Unpacks today's Prometheus, VictoriaMetrics and vmagent (the packages of Debian unstable, from the mirror that
# apt already uses) into a folder, without installing anything.
#
# usage: get_peers.sh DIR        does nothing when DIR has them already
set -eu

fail() {
  printf 'get_peers: %s\n' "$*" >&2
  exit 1
}

[ $# = 1 ] || fail "usage: get_peers.sh DIR"
mkdir -p "$1"
target=$(CDPATH='' cd -- "$1" && pwd)
if [ -x "$target/prometheus" ] && [ -x "$target/victoria-metrics" ] && [ -x "$target/vmagent" ]; then
  exit 0
fi

site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' |
  grep -v security | head -n 1)
[ -n "$site" ] || fail "found no Debian mirror: run apt-get update first."
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -e "$keyring" ] || keyring=/usr/share/keyrings/debian-archive-keyring.pgp

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/lists/partial" "$scratch/unpacked"
echo "deb [signed-by=$keyring] $site sid main" >"$scratch/sid.list"

# Lists of its own: this machine's stay as they are. A mirror that is some weeks behind will do.
apt_sid() {
  program=$1
  shift
  "$program" -o Dir::Etc::sourcelist="$scratch/sid.list" -o Dir::Etc::sourceparts=- \
    -o Dir::State::Lists="$scratch/lists" -o Dir::Cache="$scratch" -o APT::Sandbox::User=root \
    -o Acquire::Check-Valid-Until=false "$@"
}

echo "get_peers: reading the lists of Debian unstable"
apt_sid apt-get -qq update || fail "could not read the lists of Debian unstable."
cd "$scratch"
for package in prometheus victoria-metrics; do
  echo "get_peers: unpacking $package"
  apt_sid apt-get -qq download "$package" || fail "could not download $package."
done
for deb in *.deb; do
  dpkg -x "$deb" unpacked
done
for program in prometheus victoria-metrics vmagent; do
  [ -x "unpacked/usr/bin/$program" ] || fail "the package has no usr/bin/$program."
  cp "unpacked/usr/bin/$program" "$target/"
done
