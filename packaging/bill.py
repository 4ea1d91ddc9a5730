#!/usr/bin/env python3
"""Says what the artefacts contain.

usage: bill.py licences --build FOLDER --output FOLDER
         writes the copyright files of everything inside the portable program
       bill.py sbom --build FOLDER ARTEFACT ...
         writes ARTEFACT.spdx.json beside each artefact
"""

import argparse
import pathlib
import sys

import sbom
from build_deb import debian_release
from linked import debian_part, dynamic_parts, header_parts, page_parts, static_parts
from release import HERE, ROOT, epoch, version

sys.path.insert(0, str(HERE / "image"))

import oci_archive  # noqa: E402

STATIC_DIR = ROOT / "build/static"


def portable_parts(build):
    linked = static_parts(build / "lockstep-portable.map", STATIC_DIR)
    linked += dynamic_parts(build / "lockstep-portable")
    return linked + header_parts(build, linked) + page_parts()


def shared_parts(build):
    linked = dynamic_parts(build / "lockstep")
    return linked + header_parts(build, linked) + page_parts()


def image_parts(image, linked):
    """`linked`, and the other packages whose files are in the image."""
    inside = {pathlib.PurePosixPath(name).name for name in oci_archive.files_of(image)
              if name.startswith("var/lib/dpkg/status.d/")}
    linked += [debian_part(name, "files", []) for name in sorted(inside - {part.name for part in linked})]
    return linked


def parts_of(artefact, build):
    if artefact.name.endswith(".oci.tar"):
        return image_parts(artefact, [] if artefact.name.startswith("lockstep-agent") else portable_parts(build))
    if artefact.suffix == ".tgz":
        return []
    if artefact.name.startswith(("lockstep_client", "lockstep-agent")):
        return []  # Python of ours, which needs nothing but Python
    if artefact.suffix == ".deb":
        return shared_parts(build)
    return portable_parts(build)


def write_licences(build, output):
    output.mkdir(parents=True, exist_ok=True)
    for part in portable_parts(build):
        if part.kind != "dynamic" and part.copyright_text:
            name = part.source.replace("/", "-").removeprefix("@")
            (output / f"{name}.txt").write_text(part.copyright_text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb in ("licences", "sbom"):
        verbs.add_parser(verb).add_argument("--build", type=pathlib.Path, required=True)
    verbs.choices["licences"].add_argument("--output", type=pathlib.Path, required=True)
    verbs.choices["sbom"].add_argument("artefacts", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    if options.verb == "licences":
        write_licences(options.build, options.output)
        return
    for artefact in options.artefacts:
        text = sbom.document(artefact, version(), parts_of(artefact, options.build), debian_release(), epoch())
        artefact.with_name(artefact.name + ".spdx.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
