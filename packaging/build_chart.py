#!/usr/bin/env python3
"""Builds the archive of the Helm chart, as `helm package` does, but with bytes that depend on its content alone.

usage: build_chart.py --output FOLDER
"""

import argparse
import pathlib
import re

from archives import write_tar_gz
from release import HERE, epoch

CHART = HERE / "helm/lockstep"


def build(output):
    chart_version = re.search(r"^version: (\S+)$", (CHART / "Chart.yaml").read_text(encoding="utf-8"), re.M)[1]
    archive = output / f"lockstep-{chart_version}.tgz"
    write_tar_gz(archive, [(f"lockstep/{file.relative_to(CHART).as_posix()}", file.read_bytes(), 0o644)
                           for file in CHART.rglob("*") if file.is_file()], epoch())
    return archive


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", type=pathlib.Path, required=True)
    print(build(parser.parse_args().output.resolve()))


if __name__ == "__main__":
    main()
