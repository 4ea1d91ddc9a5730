#!/usr/bin/env python3
"""Writes dashboards/*.json and provisioning/alerting/lockstep.yaml from their sources beside this file.

usage: generate.py [--check]      with --check writes nothing and exits 1 if a file is not what it should be
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
    """Path below this folder and text of everything that is generated."""
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
        sys.exit(f"generate: run grafana/generate.py; these are not what it writes: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
