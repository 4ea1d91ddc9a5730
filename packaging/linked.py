"""What a program is made of: archives, shared libraries and headers, each with its Debian package."""

import dataclasses
import json
import os
import pathlib
import re
import subprocess

import licences
from release import ROOT


@dataclasses.dataclass
class Part:
    """A library, or the headers of one, inside or beside the program."""
    name: str  # Debian's binary package, or npm's package
    version: str
    source: str  # Debian's source package
    kind: str  # "static", "dynamic", "headers" or "page"
    files: list  # names of archives or shared libraries
    licence: str  # SPDX expression, or "" where it could not be derived
    copyright_text: str


def run(*command):
    return subprocess.run(command, check=True, text=True, capture_output=True).stdout


def owners(paths):
    """{path: Debian package} of those that belong to a package."""
    forms = {}
    for path in paths:
        real = os.path.realpath(path)
        for form in (path, real, real.removeprefix("/usr"), path.removeprefix("/usr")):
            forms.setdefault(form, path)
    answer = subprocess.run(["dpkg-query", "-S", *forms], check=False, text=True, capture_output=True).stdout
    found = {}
    for line in answer.splitlines():
        package, _, path = line.rpartition(": ")
        if path in forms and not package.startswith("diversion"):
            found.setdefault(forms[path], package.split(",")[0])
    return found


def debian_part(package, kind, files):
    version, source = run("dpkg-query", "-W", "-f=${Version}\t${source:Package}", package).split("\t")
    text = licences.copyright_of(package)
    return Part(package.partition(":")[0], version, source, kind, sorted(files), licences.of(source, text), text)


def grouped(found, kind):
    """Parts of {path: package}."""
    by_package = {}
    for path, package in found.items():
        by_package.setdefault(package, set()).add(pathlib.Path(path).name)
    return [debian_part(package, kind, files) for package, files in sorted(by_package.items())]


def archives_of_map(map_file):
    """Third-party archives from which the linker took something, according to its map."""
    text = map_file.read_text(encoding="utf-8", errors="replace")
    return sorted({os.path.realpath(path) for path in re.findall(r"\s(/[^\s():]+\.a)\(", text)
                   if not os.path.basename(path).startswith("liblockstep_")})


def static_parts(map_file, static_dir):
    """Parts of all archives of the map. Raises LookupError for one of unknown origin."""
    built = {}
    for line in (static_dir / "sources.tsv").read_text(encoding="utf-8").splitlines():
        archive, *package = line.split("\t")
        built[os.path.realpath(static_dir / "lib" / archive)] = package
    parts = {}
    theirs = []
    for path in archives_of_map(map_file):
        if path not in built:
            theirs.append(path)
            continue
        name, _, source, version = built[path]
        text = (static_dir / "copyright" / source).read_text(encoding="utf-8")
        part = parts.setdefault(name, Part(name, version, source, "static", [], licences.of(source, text), text))
        part.files.append(pathlib.Path(path).name)
    found = owners(theirs)
    if unknown := [path for path in theirs if path not in found]:
        raise LookupError(f"no package owns {unknown}")
    return [*parts.values(), *grouped(found, "static")]


def dynamic_parts(program):
    """Parts of the shared libraries that the loader finds for `program`."""
    paths = re.findall(r"(/\S+) \(0x", run("ldd", str(program)))
    found = owners(paths)
    if unknown := [path for path in paths if path not in found]:
        raise LookupError(f"no package owns {unknown}")
    return grouped(found, "dynamic")


def header_parts(build, others):
    """Parts that contribute only headers, except those whose source package is among `others`."""
    headers, is_ours = set(), False
    for line in run("ninja", "-C", str(build), "-t", "deps").splitlines():
        if not line.startswith(" "):
            is_ours = bool(re.search(r"CMakeFiles/lockstep(?!_tests|_bench)[^/]*\.dir/", line))
        elif is_ours and line.strip().startswith("/usr/include/"):
            headers.add(line.strip())
    # The kernel's interface is no code of anyone's.
    known = {part.source for part in others} | {"linux"}
    parts = grouped(owners(sorted(headers)), "headers")
    for part in parts:
        part.files = []
    return [part for part in parts if part.source not in known]


def page_parts():
    """Parts of the web page that the program serves: what package.json's dependencies need at run time."""
    manifest = json.loads((ROOT / "web/package.json").read_text(encoding="utf-8"))
    locked = json.loads((ROOT / "web/package-lock.json").read_text(encoding="utf-8"))["packages"]
    wanted = [name for name in manifest["dependencies"] if name != "vite"]  # the one that builds
    parts = {}
    while wanted:
        name = wanted.pop()
        if name in parts:
            continue
        entry = locked[f"node_modules/{name}"]
        texts = sorted((ROOT / "web/node_modules" / name).glob("LICEN[CS]E*"))
        parts[name] = Part(name, entry["version"], name, "page", [], entry.get("license", ""),
                           texts[0].read_text(encoding="utf-8") if texts else "")
        wanted += entry.get("dependencies", {})
    return [parts[name] for name in sorted(parts)]
