#!/bin/sh
# fuzz.sh BUILD [SECONDS] [NAME]: runs each fuzzer of that build, or the one named, for SECONDS each
# (default 60), one after the other. New inputs that reach new code stay in BUILD/corpus/NAME; an input
# that breaks something lands in BUILD/findings and ends the run with status 1.
set -eu
build=$1
seconds=${2:-60}
only=${3:-}
root=$(dirname "$0")/..

mkdir -p "$build/findings"
for program in "$build"/fuzzers/*; do
  name=$(basename "$program")
  [ -z "$only" ] || [ "$only" = "$name" ] || continue
  mkdir -p "$build/corpus/$name"
  printf 'fuzz: %s for %s s\n' "$name" "$seconds"
  "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$build/findings/$name-" \
    "$build/corpus/$name" "$root/tests/fuzz/corpus/$name"
done
