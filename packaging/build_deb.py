#!/usr/bin/env python3
"""Builds the Debian packages of this release of Debian: lockstep, the server, and lockstep-agent.

usage: build_deb.py --program FILE --output FOLDER

FILE is the program that is linked with shared libraries; dpkg-shlibdeps finds out which packages it depends on.
The agent is Python that needs nothing but Python, so its package is the same for all releases.
"""

import argparse
import gzip
import os
import pathlib
import shutil
import subprocess
import tempfile

from release import HERE, MAINTAINER, ROOT, SUMMARY, documentation, epoch, shared_files, stripped, version

DESCRIPTION = """\
 lockstep takes metrics, logs and profiles of training jobs in (Prometheus
 remote write, OpenTelemetry, scraping), keeps them in one folder, answers
 PromQL, and says which rank is slow, since when, why and what that costs.
"""
AGENT_DESCRIPTION = """\
 lockstep-agent samples GPUs (NVML) and the host once a second and pushes what
 it sees to a lockstep server, or to any other that takes Prometheus remote
 write. It is for machines without dcgm-exporter and node_exporter.
"""
AGENT = """\
#!/usr/bin/python3
import sys

sys.path.insert(0, "/usr/share/lockstep-agent")
sys.dont_write_bytecode = True

from lockstep.agent.__main__ import main

main()
"""
SYSTEMD_HELPERS = "init-system-helpers (>= 1.54)"


def debian_release():
    for line in pathlib.Path("/etc/os-release").read_text(encoding="utf-8").splitlines():
        if line.startswith("VERSION_ID="):
            return line.partition("=")[2].strip('"')
    raise SystemExit("build_deb: this is no release of Debian")


def put(path, content, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    path.chmod(mode)


def gzipped(text):
    return gzip.compress(text.encode(), 9, mtime=0)


def changelog(name, deb_version):
    date = subprocess.run(["date", "-u", "-R", "-d", f"@{epoch()}"], check=True, text=True, capture_output=True).stdout
    return (f"{name} ({deb_version}) stable; urgency=medium\n\n"
            "  * CHANGELOG.md of this version says what changed.\n\n"
            f" -- {MAINTAINER}  {date}")


def put_documents(root, name, deb_version):
    documents = root / "usr/share/doc" / name
    put(documents / "copyright", (HERE / "deb/copyright").read_bytes())
    put(documents / "changelog.gz", gzipped(changelog(name, deb_version)))


def put_server(root, program, deb_version):
    """The files of lockstep below `root`. Returns the program's."""
    binary = stripped(program, root / "usr/bin/lockstep")
    put(root / "etc/lockstep/lockstep.yml", (HERE / "lockstep.yml").read_bytes())
    put(root / "usr/lib/systemd/system/lockstep.service", (HERE / "lockstep.service").read_bytes())
    texts = documentation(program)
    put(root / "usr/share/man/man1/lockstep.1.gz", gzipped(texts["man"]))
    put(root / "usr/share/bash-completion/completions/lockstep", texts["bash"])
    put(root / "usr/share/zsh/vendor-completions/_lockstep", texts["zsh"])
    put_documents(root, "lockstep", deb_version)
    put(root / "usr/share/doc/lockstep/NEWS.gz", gzipped((ROOT / "CHANGELOG.md").read_text(encoding="utf-8")))
    for name, file in shared_files():
        put(root / "usr/share/lockstep" / name, file.read_bytes(), 0o755 if os.access(file, os.X_OK) else 0o644)
    return binary


def put_agent(root, deb_version):
    """The files of lockstep-agent below `root`."""
    modules = ROOT / "clients/python/src"
    for file in sorted(modules.glob("lockstep/**/*.py")):
        put(root / "usr/share/lockstep-agent" / file.relative_to(modules), file.read_bytes())
    put(root / "usr/bin/lockstep-agent", AGENT, 0o755)
    put(root / "etc/default/lockstep-agent", (HERE / "lockstep-agent.default").read_bytes(), 0o640)
    put(root / "usr/lib/systemd/system/lockstep-agent.service", (HERE / "lockstep-agent.service").read_bytes())
    put_documents(root, "lockstep-agent", deb_version)


def shared_library_packages(binary, scratch):
    """The value of Depends that dpkg-shlibdeps finds."""
    put(scratch / "debian/control", "Source: lockstep\n\nPackage: lockstep\nArchitecture: amd64\n")
    answer = subprocess.run(["dpkg-shlibdeps", "-O", str(binary)], cwd=scratch, check=True, text=True,
                            capture_output=True).stdout
    return answer.strip().removeprefix("shlibs:Depends=")


def control(root, name, fields):
    size_kib = sum(-(-path.stat().st_size // 1024) if path.is_file() else 1 for path in root.rglob("*"))
    lines = {"Package": name, "Maintainer": MAINTAINER, "Installed-Size": size_kib, "Priority": "optional", **fields}
    description = lines.pop("Description")
    return "".join(f"{key}: {value}\n" for key, value in lines.items()) + f"Description: {description}"


def maintainer_script(stage, parts, service):
    """The script of a stage, "postinst" for example, from those of deb/PART.STAGE that there are; "" without any."""
    texts = [file.read_text(encoding="utf-8").replace("@SERVICE@", service)
             for file in (HERE / "deb" / f"{part}.{stage}" for part in parts) if file.exists()]
    return "\n".join(["#!/bin/sh\nset -e\n", *texts]) if texts else ""


def md5sums(root):
    lines = []
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        name = path.relative_to(root).as_posix()
        if not name.startswith(("DEBIAN/", "etc/")):  # dpkg keeps those of configuration itself
            digest = subprocess.run(["md5sum", path], check=True, text=True, capture_output=True).stdout.split()[0]
            lines.append(f"{digest}  {name}\n")
    return "".join(lines)


def write_package(root, name, fields, script_parts, configuration, output):
    """Writes the package of the files below `root` into the folder `output` and returns its path."""
    texts = {"control": control(root, name, fields), "conffiles": f"{configuration}\n", "md5sums": md5sums(root)}
    for file, text in texts.items():
        put(root / "DEBIAN" / file, text)
    for stage in ("postinst", "prerm", "postrm"):
        if text := maintainer_script(stage, script_parts, f"{name}.service"):
            put(root / "DEBIAN" / stage, text, 0o755)
    for path in [root, *root.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)
    package = output / f"{name}_{fields['Version']}_{fields['Architecture']}.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--threads-max=1", "--build", root, package], check=True,
                   stdout=subprocess.DEVNULL, env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch())})
    return package


def build_server(program, output):
    deb_version = f"{version()}+deb{debian_release()}"
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder, "root")
        binary = put_server(root, program, deb_version)
        libraries = shared_library_packages(binary, pathlib.Path(folder))
        fields = {"Version": deb_version, "Architecture": "amd64", "Section": "net", "Recommends": "ca-certificates",
                  "Depends": f"{libraries}, adduser, {SYSTEMD_HELPERS}", "Description": f"{SUMMARY}\n{DESCRIPTION}"}
        # The user is there before the service starts, and until it has stopped.
        return write_package(root, "lockstep", fields, ("user", "service"), "/etc/lockstep/lockstep.yml", output)


def build_agent(output):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder, "root")
        put_agent(root, version())
        fields = {"Version": version(), "Architecture": "all", "Section": "net",
                  "Depends": f"python3 (>= 3.9), {SYSTEMD_HELPERS}",
                  "Description": f"samples of a machine and its GPUs, for lockstep\n{AGENT_DESCRIPTION}"}
        return write_package(root, "lockstep-agent", fields, ("service",), "/etc/default/lockstep-agent", output)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    if shutil.which("dpkg-shlibdeps") is None:
        raise SystemExit("build_deb: dpkg-shlibdeps is missing: install dpkg-dev")
    print(build_server(options.program.resolve(), options.output.resolve()))
    print(build_agent(options.output.resolve()))


if __name__ == "__main__":
    main()
