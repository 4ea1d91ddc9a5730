"""Packages: contents and metadata of the artefacts, their bills of materials, and reproducible
builds.

LOCKSTEP_BUILD names the build folder of the programs. Tests of artefacts that this Debian release
does not build are absent.
"""

import base64
import csv
import hashlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest
import venv
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging"))

import linked  # noqa: E402
import release  # noqa: E402

BUILD = pathlib.Path(os.environ["LOCKSTEP_BUILD"])
PORTABLE = BUILD / "lockstep-portable"
PARTS = ("deb", "client", "chart") + (("tarball", "wheel", "image") if PORTABLE.exists() else ())
TOOLS_PYTHON = ROOT / "build/tools/packaging/bin/python3"


def run(*command, **options):
    return subprocess.run(command, check=True, text=True, capture_output=True, **options).stdout


def setUpModule():
    global OUTPUT, SCRATCH
    SCRATCH = tempfile.TemporaryDirectory(prefix="lockstep-packages-")
    unittest.addModuleCleanup(SCRATCH.cleanup)
    OUTPUT = pathlib.Path(SCRATCH.name, "first")
    build(OUTPUT)


def build(output, umask=0o022):
    """Runs packaging/package.sh like `./dev package`."""
    outcome = subprocess.run(["sh", "-c", f'umask {umask:o}; exec "$@"', "sh", ROOT / "packaging/package.sh", BUILD,
                              output, *PARTS], text=True, capture_output=True, check=False)
    if outcome.returncode:
        raise AssertionError(f"package.sh failed:\n{outcome.stdout}{outcome.stderr}")


def only(pattern):
    found = sorted(OUTPUT.glob(pattern))
    if len(found) != 1:
        raise AssertionError(f"{pattern}: {found}")
    return found[0]


def artefacts():
    return sorted(path for path in OUTPUT.iterdir()
                  if path.name != "SHA256SUMS" and not path.name.endswith(".spdx.json"))


class EveryArtefactTest(unittest.TestCase):

    def test_each_has_a_checksum_and_a_bill(self):
        run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=OUTPUT)
        summed = {line.split()[1] for line in (OUTPUT / "SHA256SUMS").read_text(encoding="utf-8").splitlines()}
        expected = {artefact.name for artefact in artefacts()}
        self.assertEqual(summed, expected | {f"{name}.spdx.json" for name in expected})

    def test_a_second_build_gives_the_same_bytes(self):
        again = pathlib.Path(SCRATCH.name, "again")
        build(again, umask=0o077)
        for path in sorted(OUTPUT.iterdir()):
            with self.subTest(path.name):
                self.assertEqual(path.read_bytes(), (again / path.name).read_bytes())


class BillTest(unittest.TestCase):

    def bills(self):
        for artefact in artefacts():
            yield artefact, OUTPUT / f"{artefact.name}.spdx.json"

    def test_each_is_valid(self):
        for _, bill in self.bills():
            with self.subTest(bill.name):
                outcome = subprocess.run([TOOLS_PYTHON, "-m", "spdx_tools.spdx.clitools.pyspdxtools", "-i", bill],
                                         text=True, capture_output=True, check=False)
                self.assertEqual(outcome.returncode, 0, outcome.stdout + outcome.stderr)

    def test_each_says_which_artefact_it_is_of(self):
        for artefact, bill in self.bills():
            ours = json.loads(bill.read_text(encoding="utf-8"))["packages"][0]
            self.assertEqual(ours["packageFileName"], artefact.name)
            digest = hashlib.sha256(artefact.read_bytes()).hexdigest()
            self.assertEqual(ours["checksums"], [{"algorithm": "SHA256", "checksumValue": digest}])

    def test_packages_have_version_and_address(self):
        for _, bill in self.bills():
            for package in json.loads(bill.read_text(encoding="utf-8"))["packages"][1:]:
                self.assertTrue(package["versionInfo"], package["name"])
                self.assertRegex(package["externalRefs"][0]["referenceLocator"],
                                 r"^pkg:(deb/debian|npm)/\S+@[0-9]", package["name"])

    def named_files(self, bill):
        packages = json.loads(bill.read_text(encoding="utf-8"))["packages"][1:]
        return {word for package in packages for word in package.get("comment", "").split(": ")[-1].split()}

    def test_that_of_the_package_names_every_shared_library(self):
        named = self.named_files(only("lockstep_*.deb.spdx.json"))
        needed = re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "-dW", BUILD / "lockstep"))
        self.assertTrue(needed)
        self.assertFalse(set(needed) - named)

    @unittest.skipUnless(PORTABLE.exists(), "the portable program is built on Debian 12 alone")
    def test_that_of_the_tarball_names_every_library(self):
        named = self.named_files(only("lockstep-*-linux-x86_64.tar.gz.spdx.json"))
        # The linker's inputs are the upper bound; its map says what was used.
        used = {pathlib.Path(path).name for path in linked.archives_of_map(BUILD / "lockstep-portable.map")}
        theirs = {name for name in used if not name.startswith("liblockstep_")}
        self.assertLess({"libcurl.a", "libcrypto.a", "librocksdb.a", "libsimdjson.a", "libstdc++.a"}, theirs)
        self.assertFalse(theirs - named)
        needed = re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "-dW", PORTABLE))
        self.assertFalse(set(needed) - named)
        packages = json.loads(only("lockstep-*-linux-x86_64.tar.gz.spdx.json").read_text(encoding="utf-8"))["packages"]
        names = {package["name"] for package in packages}
        self.assertLess({"preact", "uplot", "libboost1.81-dev", "libcli11-dev", "libprotozero-dev"}, names)


class DebTest(unittest.TestCase):

    def setUp(self):
        self.deb = only("lockstep_*.deb")

    def field(self, name):
        return run("dpkg-deb", "--field", self.deb, name).strip()

    def files(self):
        """{path: (mode, owner)} of the package."""
        lines = run("dpkg-deb", "--contents", self.deb).splitlines()
        return {line.split()[5].removeprefix("."): tuple(line.split()[:2]) for line in lines}

    def test_depends_on_the_libraries_of_this_release(self):
        depends = self.field("Depends")
        for library in ("libc6 (>= ", "librocksdb", "libssl3", "libcurl4", "adduser"):
            self.assertIn(library, depends)
        self.assertIn(release.version(), self.field("Version"))
        self.assertEqual(self.field("Architecture"), "amd64")

    def test_has_everything_in_its_place(self):
        files = self.files()
        for path in ("/usr/bin/lockstep", "/etc/lockstep/lockstep.yml", "/usr/lib/systemd/system/lockstep.service",
                     "/usr/share/doc/lockstep/copyright", "/usr/share/lockstep/rules_pack/gpus.yml",
                     "/usr/share/man/man1/lockstep.1.gz", "/usr/share/bash-completion/completions/lockstep",
                     "/usr/share/zsh/vendor-completions/_lockstep"):
            self.assertIn(path, files)
        self.assertEqual({owner for _, owner in files.values()}, {"root/root"})
        self.assertFalse([path for path, (mode, _) in files.items() if mode[5] == "w" or mode[8] == "w"])
        self.assertEqual(files["/usr/bin/lockstep"][0], "-rwxr-xr-x")

    def test_the_configuration_is_kept_over_upgrades_and_is_right(self):
        self.assertEqual(run("dpkg-deb", "--info", self.deb, "conffiles"), "/etc/lockstep/lockstep.yml\n")
        outcome = run(BUILD / "lockstep", "check", "config", ROOT / "packaging/lockstep.yml")
        self.assertNotIn("error", outcome)

    def test_maintainer_scripts_are_posix_shell(self):
        for script in ("postinst", "prerm", "postrm"):
            text = run("dpkg-deb", "--info", self.deb, script)
            subprocess.run(["dash", "-n"], input=text, text=True, check=True)

    def test_the_unit_is_hardened(self):
        with tempfile.TemporaryDirectory() as name:
            run("dpkg-deb", "--extract", self.deb, name)
            text = pathlib.Path(name, "usr/lib/systemd/system/lockstep.service").read_text(encoding="utf-8")
            for line in ("Type=notify", "ProtectSystem=strict", "NoNewPrivileges=yes", "User=lockstep",
                         "CapabilityBoundingSet="):
                self.assertIn(f"{line}\n", text)
            self.assertRegex(text, r"\nLimitNOFILE=\d+\n")
            self.assertRegex(text, r"\nMemoryHigh=\S+\n")


class AgentDebTest(unittest.TestCase):

    def setUp(self):
        self.deb = only("lockstep-agent_*.deb")

    def test_the_program_runs_from_where_it_is_installed(self):
        with tempfile.TemporaryDirectory() as name:
            run("dpkg-deb", "--extract", self.deb, name)
            program = pathlib.Path(name, "usr/bin/lockstep-agent")
            text = program.read_text(encoding="utf-8")
            self.assertIn('"/usr/share/lockstep-agent"', text)
            program.write_text(text.replace('"/usr/share', f'"{name}/usr/share'), encoding="utf-8")
            self.assertIn("usage: lockstep-agent", run(sys.executable, program, "--help"))

    def test_only_root_reads_the_token(self):
        files = run("dpkg-deb", "--contents", self.deb).splitlines()
        settings = next(line for line in files if line.endswith("./etc/default/lockstep-agent"))
        self.assertTrue(settings.startswith("-rw-r----- root/root"), settings)
        self.assertEqual(run("dpkg-deb", "--info", self.deb, "conffiles"), "/etc/default/lockstep-agent\n")


@unittest.skipUnless(PORTABLE.exists(), "the portable program is built on Debian 12 alone")
class TarballTest(unittest.TestCase):

    def test_runs_from_any_folder(self):
        tarball = only("lockstep-*-linux-x86_64.tar.gz")
        with tempfile.TemporaryDirectory(prefix="any where ") as name, tarfile.open(tarball) as tar:
            tar.extractall(name, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(name)
            folder = pathlib.Path(name, tarball.name.removesuffix(".tar.gz"))
            self.assertIn(release.version(), run(folder / "bin/lockstep", "version", env={}))
            for path in ("LICENSE", "etc/lockstep.yml", "lib/systemd/system/lockstep.service",
                         "share/lockstep/rules_pack/gpus.yml", "share/lockstep/grafana/dashboards",
                         "share/man/man1/lockstep.1", "share/doc/third-party/rocksdb.txt",
                         "share/doc/third-party/preact.txt"):
                self.assertTrue((folder / path).exists(), path)

    def test_licences_of_everything_linked_are_there(self):
        with tarfile.open(only("lockstep-*-linux-x86_64.tar.gz")) as tar:
            texts = {pathlib.Path(name).stem for name in tar.getnames() if "/third-party/" in name}
        for part in linked.static_parts(BUILD / "lockstep-portable.map", ROOT / "build/static"):
            self.assertIn(part.source, texts)


@unittest.skipUnless(PORTABLE.exists(), "the portable program is built on Debian 12 alone")
class WheelTest(unittest.TestCase):

    def setUp(self):
        self.wheel = only("lockstep_server-*.whl")

    def test_its_record_is_that_of_its_files(self):
        with zipfile.ZipFile(self.wheel) as archive:
            record = next(name for name in archive.namelist() if name.endswith("/RECORD"))
            rows = list(csv.reader(io.StringIO(archive.read(record).decode())))
            self.assertEqual([row[0] for row in rows], archive.namelist())
            for name, digest, size in rows[:-1]:
                content = archive.read(name)
                self.assertEqual(size, str(len(content)))
                expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                self.assertEqual(digest, f"sha256={expected}")

    def test_says_that_it_is_for_this_glibc(self):
        self.assertTrue(self.wheel.name.endswith(f"-py3-none-manylinux_{release.GLIBC.replace('.', '_')}_x86_64.whl"))

    def test_a_bare_environment_can_install_and_run_it(self):
        with tempfile.TemporaryDirectory() as name:
            venv.create(name, with_pip=True)
            client = only("lockstep_client-*.whl")
            run(f"{name}/bin/pip", "install", "--no-index", "--disable-pip-version-check", self.wheel, client)
            self.assertIn(release.version(), run(f"{name}/bin/lockstep", "version"))
            run(f"{name}/bin/python3", "-c", "import lockstep; lockstep.StepLogger")
            self.assertIn("usage", run(f"{name}/bin/lockstep-agent", "--help"))
            run(f"{name}/bin/pip", "uninstall", "--yes", "lockstep-server")
            self.assertFalse(pathlib.Path(name, "bin/lockstep").exists())


class ClientTest(unittest.TestCase):

    def test_the_source_distribution_builds_the_same_wheel(self):
        sdist = only("lockstep_client-*.tar.gz")
        with tempfile.TemporaryDirectory() as name:
            run(TOOLS_PYTHON, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index", "--quiet",
                "--disable-pip-version-check", "-w", name, sdist)
            built = next(pathlib.Path(name).iterdir())
            with zipfile.ZipFile(built) as ours, zipfile.ZipFile(only("lockstep_client-*.whl")) as expected:
                self.assertEqual(set(ours.namelist()), set(expected.namelist()))


if __name__ == "__main__":
    unittest.main()
