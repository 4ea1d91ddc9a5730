"""Runs containers from image archives: unpacked by umoci and run by runc, as by an orchestrator, on
a read-only root.

Both are Debian packages, and both need root here: the image's user is not the test's.
"""

import json
import os
import shutil
import subprocess
import tarfile
import unittest
import uuid

WITHIN_S = 120
# Sandboxes often have no control groups to delegate, and these tests need no limits.
NAMESPACES = ("pid", "ipc", "uts", "mount")


def require_runtime():
    """Skips the test where containers cannot run."""
    missing = [name for name in ("umoci", "runc") if shutil.which(name) is None]
    if missing:
        raise unittest.SkipTest(f"{' and '.join(missing)} missing: run './dev setup test'")
    if os.geteuid() != 0:
        raise unittest.SkipTest("it runs containers as another user, which takes root")


class Image:
    """An image archive unpacked to `folder`."""

    def __init__(self, archive, folder):
        layout = folder / "layout"
        with tarfile.open(archive) as tar:
            tar.extractall(layout)
        self.index = json.loads((layout / "index.json").read_text())
        [described] = self.index["manifests"]
        self.manifest = self._blob(layout, described)
        self.config = self._blob(layout, self.manifest["config"])
        tag = described["annotations"]["org.opencontainers.image.ref.name"]
        self._bundle = folder / "bundle"
        subprocess.run(["umoci", "unpack", "--image", f"{layout}:{tag}", str(self._bundle)], check=True,
                       capture_output=True, timeout=WITHIN_S)
        self.root = self._bundle / "rootfs"
        self._specification = json.loads((self._bundle / "config.json").read_text())

    @staticmethod
    def _blob(layout, descriptor):
        return json.loads((layout / "blobs" / descriptor["digest"].replace(":", "/")).read_text())

    def container(self, arguments=None, mounts=(), environment=()):
        """[program, argument, ...] to run a container: the image's entry point with `arguments`, or
        with its own.

        `mounts` are (folder outside, folder inside) and writable. Everything else but /tmp is
        read-only. The container has no capabilities and shares the test's network.
        """
        specification = json.loads(json.dumps(self._specification))
        process = specification["process"]
        process.update(terminal=False, capabilities={}, noNewPrivileges=True)
        process["env"] += environment
        if arguments is not None:
            process["args"] = [*self.config["config"]["Entrypoint"], *arguments]
        specification["root"] = {"path": str(self.root), "readonly": True}
        specification["linux"].pop("resources", None)
        specification["linux"]["namespaces"] = [{"type": name} for name in NAMESPACES]
        # The image's volumes are treated like other folders: only the mounts are writable.
        specification["mounts"] = [mount for mount in specification["mounts"]
                                   if mount["destination"] not in self.config["config"].get("Volumes", {})]
        specification["mounts"].append({"destination": "/tmp", "type": "tmpfs", "source": "tmpfs"})
        specification["mounts"] += [{"destination": inside, "type": "bind", "source": str(outside),
                                     "options": ["bind", "rw"]} for outside, inside in mounts]
        name = f"lockstep-test-{uuid.uuid4().hex}"
        bundle = self._bundle.parent / name
        bundle.mkdir()
        (bundle / "config.json").write_text(json.dumps(specification))
        return ["runc", "--root", str(bundle / "state"), "run", "--bundle", str(bundle), name]

    def run(self, arguments, **options):
        """Runs a container that ends by itself."""
        return subprocess.run(self.container(arguments, **options), capture_output=True, text=True, timeout=WITHIN_S)
