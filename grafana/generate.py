#!/usr/bin/env python3
"""Writes dashboards/*.json and provisioning/alerting/lockstep.yaml from their sources beside this file.

usage: generate.py [--check]      with --check it writes nothing and exits with 1 if a file is out of date
"""

import importlib
import json
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))
import alerts

NAMES = ("efficiency", "fleet", "inference", "job", "server", "straggler", "training")


def files():
    """{path in this folder: text} of every generated file."""
    told = {f"dashboards/{name}.json": json.dumps(importlib.import_module(name).DASHBOARD, indent=1,
                                                  ensure_ascii=False) + "\n"
            for name in NAMES}
    return {**told, "provisioning/alerting/lockstep.yaml": alerts.text()}


def main():
    wrong = []
    for name, text in files().items():
        path = FOLDER / name
        if path.exists() and path.read_text() == text:
            continue
        wrong.append(name)
        if "--check" not in sys.argv:
            path.write_text(text)
    if wrong and "--check" in sys.argv:
        sys.exit(f"generate: run grafana/generate.py; these files are out of date: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
