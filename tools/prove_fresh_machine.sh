#!/bin/sh
# Proves that a bare Debian is enough: debootstraps one into a temporary folder, clones this
# repository's HEAD into it, runs ./dev demo and ./dev test there, and prints how long each took.
#
# usage: prove_fresh_machine.sh [bookworm|trixie] [VERB ...]     (as root; needs debootstrap)
#   VERBs default to: demo test. Each runs at most PROVE_LIMIT_S seconds (default 5400).
set -eu

suite=${1:-bookworm}
[ $# = 0 ] || shift
[ $# -gt 0 ] || set -- demo test
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
limit_s=${PROVE_LIMIT_S:-5400}

fail() {
  printf 'prove_fresh_machine: %s\n' "$*" >&2
  exit 1
}

[ "$(id -u)" = 0 ] || fail "needs root: it makes a system of its own in a folder."
command -v debootstrap >/dev/null || fail "needs debootstrap: apt-get install debootstrap."

# The mirror that this machine's apt already uses for Debian itself.
mirror() {
  apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' |
    grep -v security | head -n 1
}

site=$(mirror)
[ -n "$site" ] || fail "found no Debian mirror: run apt-get update first."
chroot_dir=$(mktemp -d "${TMPDIR:-/tmp}/lockstep-$suite.XXXXXX")

cleanup() {
  chroot "$chroot_dir" sh -c 'cd /lockstep 2>/dev/null && ./dev demo stop' >/dev/null 2>&1 || true
  umount "$chroot_dir/proc" "$chroot_dir/dev/pts" 2>/dev/null || true
  rm -rf --one-file-system "$chroot_dir"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

# timed WORDS COMMAND ...: runs it within the limit and notes its time.
timed() {
  words=$1
  shift
  begin=$(date +%s)
  timeout "$limit_s" "$@" || fail "$words failed on a bare $suite."
  took="${took:-}$(printf '%-28s %5d s' "$words" $(($(date +%s) - begin)))
"
}

inside() {
  timed "./dev $1" chroot "$chroot_dir" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    HOME=/root CI=true http_proxy="${http_proxy:-}" sh -c "cd /lockstep && ./dev $1"
}

timed "debootstrap $suite" debootstrap --variant=minbase \
  --include=git "$suite" "$chroot_dir" "$site"
cp /etc/resolv.conf "$chroot_dir/etc/resolv.conf"
mount -t proc proc "$chroot_dir/proc" || fail "could not mount /proc in the bare system."
# Verbs for terminals are tested on pseudo-terminals of the bare system's own.
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$chroot_dir/dev/pts" ||
  fail "could not mount /dev/pts in the bare system."
git clone -q --no-local "$root" "$chroot_dir/lockstep"
rm -rf "$chroot_dir/lockstep/.git/worktrees"
for verb in "$@"; do
  inside "$verb"
done
printf '\nA bare %s, %s cores:\n%s' "$suite" "$(nproc)" "$took"
