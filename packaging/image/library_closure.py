"""Which files of this machine a dynamically linked program needs to run elsewhere, and whose packages they are."""

import pathlib
import re
import subprocess

# "libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x...)" and "/lib64/ld-linux-x86-64.so.2 (0x...)"
LOADED = re.compile(r"^\s*(?:(\S+) => )?(/\S+) \(0x[0-9a-f]+\)$", re.M)
MISSING = re.compile(r"^\s*(\S+) => not found$", re.M)


class ClosureError(Exception):
    """A library that a program needs is not on this machine."""


def shared_libraries(programs):
    """{path in the image: file on this machine} of the libraries that `programs` load, and of their loader.

    Libraries are named by what programs ask for (libz.so.1, not libz.so.1.2.13). A static program needs none.
    """
    found = {}
    for program in programs:
        listed = subprocess.run(["ldd", str(program)], capture_output=True, text=True)
        if missing := MISSING.findall(listed.stdout):
            raise ClosureError(f"{program} needs {', '.join(missing)}, which this machine does not have")
        if listed.returncode != 0 and "not a dynamic executable" not in listed.stdout + listed.stderr:
            raise ClosureError(f"ldd {program}: {listed.stderr.strip()}")
        for _, path in LOADED.findall(listed.stdout):
            found[_place(path)] = pathlib.Path(path).resolve()
    return found


def _place(path):
    """Where a library lies in a system whose /lib and /lib64 are links into /usr."""
    return path if path.startswith("/usr/") else f"/usr{path}"


def debian_packages(files):
    """The installed Debian packages that `files` are from, sorted; files of no package are passed over."""
    names = {str(file) for file in files}
    # dpkg knows some files by the path of before /lib moved into /usr.
    names |= {name.removeprefix("/usr") for name in names}
    owners = subprocess.run(["dpkg-query", "--search", *sorted(names)], capture_output=True, text=True)
    return sorted({line.partition(": ")[0] for line in owners.stdout.splitlines()
                   if not line.startswith("diversion by")})


def package_record(package):
    """The package's paragraph of dpkg's database, from which scanners know names and versions."""
    return subprocess.run(["dpkg-query", "--status", package], check=True, capture_output=True, text=True).stdout
