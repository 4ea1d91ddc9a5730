#!/usr/bin/env python3
"""Prints a Markdown table of the security fixes in the libraries that a program links.

    tools/security_fixes.py build/release/lockstep

Debian fixes vulnerabilities in the version that a release started with, and lists them in the package's changelog, which is
installed with the package. For each shared library of PROGRAM, the table shows its package and version, the vulnerabilities
that Debian has fixed since the upstream version, and whether the package sources have a newer version. Exits with 1 if they
do. Run `apt-get update` before this, and `apt-get upgrade` to get the fixes.
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
    """The files of the program's shared libraries."""
    return sorted({pathlib.Path(path).resolve() for path in re.findall(r"=> (/\S+) \(", output("ldd", program))})


def package_of(library):
    """The Debian package that the file belongs to, for example "libc6:amd64", or None."""
    # If /lib is a link to /usr/lib, packages may use either path.
    for path in (library, pathlib.Path("/", *library.parts[2:]) if library.parts[1] == "usr" else "/usr" / library):
        found = subprocess.run(["dpkg", "-S", str(path)], capture_output=True, text=True, check=False)
        if found.returncode == 0:
            return found.stdout.split(": ")[0]
    return None


def upstream(version):
    """The version without Debian's additions: "1.52.0" for "1:1.52.0-1+deb12u3"."""
    return re.sub(r"-[^-]*$", "", version.split(":")[-1])


def fixes(package, version):
    """The vulnerabilities in the changelog since the upstream version of `version`."""
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
    """The version that apt would install."""
    found = re.search(r"Candidate: (\S+)", output("apt-cache", "policy", package))
    return found[1] if found else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    arguments = parser.parse_args()
    packages = sorted({package for package in map(package_of, libraries(arguments.program)) if package})
    is_behind = False
    print("| package | version | fixed by Debian since the upstream version |\n|---|---|---|")
    for package in packages:
        version = output("dpkg-query", "-W", "-f=${Version}", package)
        newest = candidate(package)
        note = ", ".join(fixes(package, version)) or "–"
        if newest not in (None, "(none)", version):
            is_behind = True
            note += f"; **{newest} is available**"
        print(f"| {package.split(':')[0]} | {version} | {note} |")
    return 1 if is_behind else 0


if __name__ == "__main__":
    sys.exit(main())
