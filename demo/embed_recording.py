#!/usr/bin/env python3
"""Packs the recording of data/metrics.om.gz and writes it as a C++ constant.

usage: embed_recording.py --recording metrics.om.gz --output compressed_recording.cc

The packed form holds the same samples in a quarter of the bytes: series that were sampled together share one
column of times. It is compressed text; recording.cc makes OpenMetrics of it again.

    FIRST LAST                   times of the first and the last sample, Unix ms
    @FIRST_OFFSET STEP STEP ...  a column of times: ms since the first sample of all, then since the one before
    # TYPE ... or # HELP ...     as in the recording
    =COLUMN NAME{LABELS}         a series, and the number of its column of times
    VALUE VALUE ...              its values, as they are written in the recording
"""

import argparse
import gzip
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
import embedded_bytes

END = "# EOF"


def read(path):
    """The lines of the packed text's second half as (line, times, values): comments have no times."""
    entries = {}
    with gzip.open(path, "rt") as lines:
        for line in map(str.rstrip, lines):
            if line.startswith("#"):
                entries[line] = None
                continue
            series, value, time = line.rsplit(" ", 2)
            times, values = entries.setdefault(series, ([], []))
            seconds, milliseconds = time.split(".")
            times.append(int(seconds) * 1000 + int(f"{milliseconds:0<3}"))
            values.append(value)
    del entries[END]
    return entries


def packed(entries):
    all_times = [entry[0] for entry in entries.values() if entry]
    first, last = min(map(min, all_times)), max(map(max, all_times))
    columns = {}
    body = []
    for line, entry in entries.items():
        if entry is None:
            body.append(line)
            continue
        times, values = entry
        steps = [times[0] - first, *(after - before for before, after in zip(times, times[1:]))]
        column = columns.setdefault(" ".join(map(str, steps)), len(columns))
        body += [f"={column} {line}", " ".join(values)]
    return "\n".join([f"{first} {last}", *(f"@{column}" for column in columns), *body, ""])


def source(content):
    return ("// Made by embed_recording.py.\n#include <string_view>\n\n"
            '#include "demo/compressed_recording.h"\n\nnamespace lockstep::demo {\nnamespace {\n\n'
            + embedded_bytes.view("kCompressed", content)
            + "\n}  // namespace\n\nstd::string_view CompressedRecording() { return kCompressed; }\n"
            + "\n}  // namespace lockstep::demo\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--recording", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    text = packed(read(options.recording))
    # Without a time in it, the same recording gives the same bytes.
    options.output.write_text(source(gzip.compress(text.encode(), 9, mtime=0)))


if __name__ == "__main__":
    main()
