#!/bin/sh
# Runs a command in which syncing a file takes MICROSECONDS on average, at random (0 to twice that):
#
#   tools/with_slow_disk.sh 15000 ctest --test-dir build/release -j8
#
# The tests then wait for the disk instead of the CPU, so more of them run in parallel, and in other
# orders than on a fast disk. Nothing is actually synced, so this does not test power cuts.
set -eu

[ $# -ge 2 ] || { echo "usage: with_slow_disk.sh MICROSECONDS COMMAND ..." >&2; exit 2; }
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
library=$root/build/tools/slow_disk.so
mkdir -p "$root/build/tools"
cc -shared -fPIC -O1 -o "$library" "$root/tools/slow_disk.c"
LOCKSTEP_SYNC_US=$1
shift
export LOCKSTEP_SYNC_US
LD_PRELOAD=$library exec "$@"
