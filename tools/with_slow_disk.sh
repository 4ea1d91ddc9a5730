#!/bin/sh
# Runs a command whose syncs of files take MICROSECONDS on average, at random (0 to twice that):
#
#   tools/with_slow_disk.sh 15000 ctest --test-dir build/release -j8
#
# Tests wait then for the disk, not for the processor: more of them run side by side, and in other
# orders than on a quick one. Nothing is synced; what a power cut leaves is not tested so.
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
