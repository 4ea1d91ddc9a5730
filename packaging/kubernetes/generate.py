#!/usr/bin/env python3
"""Writes the plain manifests of this folder from the chart: run it after every change of packaging/helm.

    tools/build_helm.sh build/tools/bin
    packaging/kubernetes/generate.py --helm build/tools/bin/helm
"""

import argparse
import pathlib
import re
import subprocess

FOLDER = pathlib.Path(__file__).resolve().parent
CHART = FOLDER.parent / "helm/lockstep"
NAMESPACE = "lockstep"
# A helm that was built from its module says that it is for a release of long ago.
KUBERNETES = "1.37"
# File of this folder, and the settings that it is made with.
MANIFESTS = {
    "lockstep.yaml": (),
    "lockstep-with-agent.yaml": ("agent.enabled=true", "networkPolicy.enabled=false"),
    "lockstep-with-gpu-agent.yaml": ("agent.enabled=true", "agent.gpu.enabled=true", "networkPolicy.enabled=false"),
}
# What only means something to Helm: its labels, and checksums that restart the pod after an upgrade.
HELMS = re.compile(r"^ *annotations:\n(?: *#.*\n)?(?: *checksum/.*\n)+"
                   r"|^ *(?:helm\.sh/chart|app\.kubernetes\.io/managed-by): .*\n|^# Source: .*\n", re.M)


def manifest(helm, settings):
    """The text of one manifest."""
    rendered = subprocess.run(
        [helm, "template", "lockstep", str(CHART), "--namespace", NAMESPACE, "--kube-version", KUBERNETES,
         *(word for setting in settings for word in ("--set", setting))],
        check=True, capture_output=True, text=True).stdout
    said = "".join(f" --set {setting}" for setting in settings)
    return (f"# Made by packaging/kubernetes/generate.py from the chart:{said or ' its defaults'}.\n"
            + HELMS.sub("", rendered))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--helm", default="helm", help="the program (%(default)s)")
    helm = parser.parse_args().helm
    for name, settings in MANIFESTS.items():
        (FOLDER / name).write_text(manifest(helm, settings))


if __name__ == "__main__":
    main()
