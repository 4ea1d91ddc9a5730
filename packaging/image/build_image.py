#!/usr/bin/env python3
"""Builds container images without a daemon and without root: an OCI archive for `docker load`, `podman load`, `skopeo copy`.

    build_image.py server --program build/release/lockstep --out lockstep.oci.tar
    build_image.py agent --out lockstep-agent.oci.tar

The server's image holds the program, the libraries of this machine that it loads, CA certificates, the shipped rules,
and nothing that could be used as a shell. The agent's image holds this machine's Python and clients/python.

The same input gives the same bytes: times are SOURCE_DATE_EPOCH, by default that of the last commit.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import agent_image
import server_image
from library_closure import ClosureError
from oci_archive import write_archive
from release import ROOT, version


def of_git(*arguments):
    """What git says of this checkout; "" outside of one, or without git."""
    if shutil.which("git") is None:
        return ""
    said = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True)
    return said.stdout.strip()


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    images = parser.add_subparsers(dest="image", required=True)
    server = images.add_parser("server", help="the server, and the command line")
    server.add_argument("--program", required=True, type=pathlib.Path, help="the lockstep to put into it")
    server.add_argument("--licences", type=pathlib.Path, metavar="DIR",
                        help="a folder with those of the libraries inside the program")
    agent = images.add_parser("agent", help="lockstep-agent, which samples GPUs and hosts")
    for one, name in ((server, "lockstep"), (agent, "lockstep-agent")):
        out = one.add_mutually_exclusive_group(required=True)
        out.add_argument("--out", type=pathlib.Path, help="the archive to write")
        out.add_argument("--root-file-system", type=pathlib.Path, metavar="DIR",
                         help="a new folder for what the image holds, instead of an archive")
        one.add_argument("--name", default=f"{name}:{version()}", help="name and tag of the image (%(default)s)")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse(arguments)
    if options.image == "server" and not options.program.is_file():
        sys.exit(f"build_image: there is no program {options.program}")
    time_s = int(os.environ.get("SOURCE_DATE_EPOCH") or of_git("log", "-1", "--format=%ct") or 0)
    labels = {"org.opencontainers.image.title": options.name.partition(":")[0],
              "org.opencontainers.image.version": version(),
              "org.opencontainers.image.licenses": "Apache-2.0"}
    if revision := of_git("rev-parse", "HEAD"):
        labels["org.opencontainers.image.revision"] = revision
    try:
        if options.image == "server":
            root, config = server_image.contents(options.program, options.licences)
        else:
            root, config = agent_image.contents()
    except (ClosureError, OSError) as error:
        sys.exit(f"build_image: {error}")
    if options.root_file_system:
        root.extract(options.root_file_system, time_s)
        return
    write_archive(options.out, root, config, labels, options.name, time_s)
    print(options.out)


if __name__ == "__main__":
    main(sys.argv[1:])
