#!/bin/sh
# Proves that a bare Debian system is enough: creates one in a temporary folder with debootstrap, clones
# this repository's HEAD into it, runs verbs of ./dev there, and prints the duration of each.
#
# usage: prove_fresh_machine.sh [--reuse] [--output FOLDER] [bookworm|trixie|other] [VERB ...]     (as root)
#
#   other     whichever of the two releases this machine does not run (the default)
#   VERB      for example demo or "test release"; default: demo and test. Each may take up to
#             PROVE_LIMIT_S seconds (default 5400).
#   --reuse   uses this machine's compiler cache, and keeps the base system (for a week), the packages
#             and the programs for the tests for later runs, in
#             ${LOCKSTEP_CACHE:-${XDG_CACHE_HOME:-~/.cache}/lockstep}.
#             Without it, everything is fetched and compiled from scratch.
#   --output  copies the output of the verb package to FOLDER
set -eu
PATH=$PATH:/usr/sbin:/sbin

suite=other
reuse=
output=
keep_days=7
while [ $# -gt 0 ]; do
  case $1 in
    --reuse) reuse=yes ;;
    --output)
      shift
      mkdir -p "$1"
      output=$(realpath "$1")
      ;;
    bookworm | trixie | other) suite=$1 ;;
    *) break ;;
  esac
  shift
done
[ $# -gt 0 ] || set -- demo test
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
limit_s=${PROVE_LIMIT_S:-5400}

fail() {
  printf 'prove_fresh_machine: %s\n' "$*" >&2
  exit 1
}

[ "$(id -u)" = 0 ] || fail "needs root, because it creates a Debian system in a folder."
command -v debootstrap >/dev/null || fail "needs debootstrap: run ./dev setup prove"
if [ "$suite" = other ]; then
  case $(. /etc/os-release && echo "${VERSION_CODENAME:-}") in
    trixie) suite=bookworm ;;
    *) suite=trixie ;;
  esac
fi
cache=${LOCKSTEP_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/lockstep}
kept=$cache/bare/$suite
bare=$(mktemp -d "${TMPDIR:-/tmp}/lockstep-$suite.XXXXXX")

cleanup() {
  chroot "$bare" sh -c 'cd /lockstep && ./dev demo stop' >/dev/null 2>&1 || true
  for folder in root/.cache/ccache "root/.cache/lockstep/$suite" var/cache/apt/archives dev/pts sys proc; do
    ! mountpoint -q "$bare/$folder" || umount --recursive "$bare/$folder" || umount --recursive --lazy "$bare/$folder"
  done
  ! mountpoint -q "$bare" || umount "$bare" || umount --lazy "$bare"
  rm -rf --one-file-system "$bare"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

# timed WORDS COMMAND ...: runs the command within the limit and records its duration.
timed() {
  words=$1
  shift
  begin=$(date +%s)
  timeout "$limit_s" "$@" || fail "$words failed on a bare $suite: see above."
  took="${took:-}$(printf '%-28s %5d s' "$words" $(($(date +%s) - begin)))
"
}

# Prints the mirror that this machine's apt uses for Debian itself.
mirror() {
  site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' 2>/dev/null |
    grep -v security | head -n 1)
  [ -n "$site" ] || fail "found no Debian mirror: run apt-get update first."
  echo "$site"
}

make_base() {
  # Kept systems expire, because their packages have to match the mirror's lists.
  [ -z "$reuse" ] || [ -n "$(find "$kept/base.tar" -mtime "-$keep_days" 2>/dev/null)" ] || rm -rf "$kept"
  if [ -n "$reuse" ] && [ -e "$kept/base.tar" ]; then
    timed "unpack the kept $suite" tar -C "$bare" -xf "$kept/base.tar"
    return
  fi
  site=$(mirror) || exit 1
  timed "debootstrap $suite" debootstrap --variant=minbase --include=git "$suite" "$bare" "$site"
  if [ -n "$reuse" ]; then
    mkdir -p "$kept/archives/partial"
    tar -C "$bare" --one-file-system -cf "$kept/base.tar.$$" .
    mv "$kept/base.tar.$$" "$kept/base.tar"
  fi
}

mount_in() {
  mkdir -p "$bare/$1"
  folder=$1
  shift
  mount "$@" "$bare/$folder" ||
    fail "could not mount /$folder in the bare system (a container without CAP_SYS_ADMIN?)."
}

# Gives the system what a machine in this network has: resolver, certificate authorities, host name.
join_network() {
  cp /etc/resolv.conf /etc/hosts "$bare/etc/"
  cp /etc/hostname "$bare/etc/" 2>/dev/null || true
  for certificate in /usr/local/share/ca-certificates/*.crt; do
    [ ! -e "$certificate" ] || install -D -m 644 -t "$bare/usr/local/share/ca-certificates" "$certificate"
  done
}

# inside COMMAND: runs the command in the clone, timed, with only those variables of this machine's environment that are
# needed for the network.
inside() {
  timed "$1" chroot "$bare" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root CI=true \
    http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" no_proxy="${no_proxy:-}" \
    ${GOPROXY:+GOPROXY="$GOPROXY"} ${CCACHE_MAXSIZE:+CCACHE_MAXSIZE="$CCACHE_MAXSIZE"} \
    CCACHE_STATSLOG=/tmp/ccache.log sh -c "cd /lockstep && $1"
}

# Root in a container may not be allowed to do this; debootstrap would fail with a less helpful message.
mount_in proc -t proc proc
umount "$bare/proc"
chroot / true || fail "this machine does not allow chroot (a container without CAP_SYS_CHROOT?)."
if [ -n "$reuse" ]; then
  # Only one run at a time, until the kept files no longer change.
  mkdir -p "$kept"
  exec 9>"$kept.lock"
  flock 9
fi
make_base
chmod 755 "$bare"
runs_tests=
case " $* " in *' test'*) runs_tests=yes ;; esac
# The tests start containers, which need a root folder that is a mount point.
[ -z "$runs_tests" ] || mount --bind --make-private "$bare" "$bare"
mount_in proc -t proc proc
# Verbs for terminals are tested on the bare system's own pseudo-terminals.
mount_in dev/pts -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts
# Tests start containers and a node_exporter, which read devices and control groups. Unmounting inside does not affect
# the mounts outside.
if [ -n "$runs_tests" ]; then
  mount_in sys --rbind /sys
  mount --make-rslave "$bare/sys"
fi
join_network
if [ -n "$reuse" ]; then
  # A temporary system needs no syncs and no manuals, but bills of materials need the copyright files.
  printf '%s\n' force-unsafe-io 'path-exclude=/usr/share/doc/*' 'path-include=/usr/share/doc/*/copyright' 'path-exclude=/usr/share/man/*' \
    >"$bare/etc/dpkg/dpkg.cfg.d/thrown-away"
  mount_in var/cache/apt/archives --bind "$kept/archives"
  mkdir -p "$cache/$suite"
  mount_in "root/.cache/lockstep/$suite" --bind "$cache/$suite"
  if command -v ccache >/dev/null; then
    # With its size limit, otherwise the bare system's ccache would shrink the cache to the default.
    CCACHE_MAXSIZE=$(ccache --get-config max_size)
    compiler_cache=$(ccache --get-config cache_dir)
    mkdir -p "$compiler_cache"
    mount_in root/.cache/ccache --bind "$compiler_cache"
  fi
fi
head=$(git -c safe.directory="$root" -C "$root" rev-parse --short HEAD)
git -c safe.directory="$root" -C "$root" bundle create -q "$bare/lockstep.bundle" HEAD
chroot "$bare" git clone -q /lockstep.bundle /lockstep
rm "$bare/lockstep.bundle"
# The packages are installed first, so that their time is shown separately.
for verb in "$@"; do
  case ${verb%% *} in
    demo | test | lint | bench | fuzz) inside "./dev setup ${verb%% *}" ;;
  esac
done
exec 9>&-
for verb in "$@"; do
  inside "./dev $verb"
  case $verb in
    package*) [ -z "$output" ] || cp "$bare"/lockstep/build/packages/* "$output/" ;;
  esac
done
printf '\nA bare %s at %s, %s cores%s:\n%s' "$suite" \
  "$head" "$(nproc)" \
  "${reuse:+, with the caches of earlier runs}" "$took"
chroot "$bare" sh -c '! command -v ccache >/dev/null || CCACHE_STATSLOG=/tmp/ccache.log ccache --show-log-stats'
