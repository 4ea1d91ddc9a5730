#!/usr/bin/env python3
"""Which security fixes the libraries have that a program links: a table in Markdown.

    tools/security_fixes.py build/release/lockstep

Debian fixes flaws in the version that a release began with, and names them in the package's changelog, which is on every machine
that has the package. For each shared library of PROGRAM the table has its package and version, the flaws that Debian fixed
since the upstream version, and whether the package sources know a newer version. Exits with 1 if they do: run
`apt-get update` first and `apt-get upgrade` then.
"""

import argparse
import gzip
import pathlib
import re
import subprocess
import sys

CVE = re.compile(r"CVE-\d{4}-\d{4,}")
ENTRY = re.compile(r"^(\S+) \((\S+)\) ", re.M)


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def libraries(program):
    """The files of its shared libraries."""
    return sorted({pathlib.Path(path).resolve() for path in re.findall(r"=> (/\S+) \(", output("ldd", program))})


def package_of(library):
    """The Debian package that the file belongs to, "libc6:amd64", or None."""
    # Where /lib is a link to /usr/lib, packages name either.
    for path in (library, pathlib.Path("/", *library.parts[2:]) if library.parts[1] == "usr" else "/usr" / library):
        found = subprocess.run(["dpkg", "-S", str(path)], capture_output=True, text=True, check=False)
        if found.returncode == 0:
            return found.stdout.split(": ")[0]
    return None


def upstream(version):
    """The version without what Debian adds: "1.52.0" of "1:1.52.0-1+deb12u3"."""
    return re.sub(r"-[^-]*$", "", version.split(":")[-1])


def fixes(package, version):
    """The flaws that the changelog names since the upstream version of `version`."""
    folder = pathlib.Path("/usr/share/doc") / package.split(":")[0]
    text = ""
    for name in ("changelog.Debian.gz", "changelog.gz"):
        if (folder / name).exists():
            text = gzip.open(folder / name, "rt", errors="replace").read()
            break
    found = set()
    entries = list(ENTRY.finditer(text))
    for entry, following in zip(entries, [*entries[1:], None]):
        if upstream(entry[2]) != upstream(version):
            break
        found |= set(CVE.findall(text[entry.start():following.start() if following else None]))
    return sorted(found, key=lambda name: [int(part) for part in name.split("-")[1:]])


def candidate(package):
    """The version that the package sources would install."""
    found = re.search(r"Candidate: (\S+)", output("apt-cache", "policy", package))
    return found[1] if found else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    arguments = parser.parse_args()
    packages = sorted({package for package in map(package_of, libraries(arguments.program)) if package})
    is_behind = False
    print("| package | version | fixed in it by Debian since the upstream version |\n|---|---|---|")
    for package in packages:
        version = output("dpkg-query", "-W", "-f=${Version}", package)
        newest = candidate(package)
        note = ", ".join(fixes(package, version)) or "–"
        if newest not in (None, "(none)", version):
            is_behind = True
            note += f"; **{newest} is there**"
        print(f"| {package.split(':')[0]} | {version} | {note} |")
    return 1 if is_behind else 0


if __name__ == "__main__":
    sys.exit(main())
