"""The chart's pod as started by kubelet: its image, arguments, configuration and secrets, with TLS
and a token, as an unprivileged user on a read-only root.

LOCKSTEP_PROGRAM names the program that the image is made of. Needs what helm_test.py and
image_test.py need.
"""

import hashlib
import json
import os
import pathlib
import ssl
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))

import container
import programs

try:
    import yaml
except ImportError:
    yaml = None

HELM = ROOT / "build/tools/helm"
CHART = ROOT / "packaging/helm/lockstep"
USER_ID = 65532
WITHIN_S = 120
TOKEN = "secret of trainers"
VALUES = {"web": {"tls": {"secretName": "lockstep-tls"}, "tokens": {"trainer": hashlib.sha256(TOKEN.encode()).hexdigest()}},
          "retention": {"maxBytes": "1GB"}}


class PodTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        container.require_runtime()
        if not HELM.exists() or yaml is None:
            raise unittest.SkipTest("helm or PyYAML is missing: run './dev setup test'")

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-pod-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.folder.chmod(0o755)
        self.address = programs.free_address()
        archive = self.folder / "image.oci.tar"
        subprocess.run([sys.executable, str(ROOT / "packaging/image/build_image.py"), "server", "--program",
                        os.environ["LOCKSTEP_PROGRAM"], "--out", str(archive)], check=True, capture_output=True, timeout=WITHIN_S)
        self.image = container.Image(archive, self.folder)
        self.objects = self.render()
        self.pod = self.objects["StatefulSet", "run-lockstep"]["spec"]["template"]["spec"]
        self.tls = self.make_certificate()

    def render(self):
        values = self.folder / "values.json"
        values.write_text(json.dumps(VALUES))
        rendered = subprocess.run([str(HELM), "template", "run", str(CHART), "--kube-version", "1.37", "-f", str(values)],
                                  check=True, capture_output=True, text=True, timeout=WITHIN_S).stdout
        return {(one["kind"], one["metadata"]["name"]): one for one in yaml.safe_load_all(rendered) if one}

    def make_certificate(self):
        """The files of the Secret lockstep-tls."""
        certificate, key = self.folder / "tls.crt", self.folder / "tls.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                        "-subj", "/CN=lockstep", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out",
                        str(certificate)], check=True, capture_output=True, timeout=WITHIN_S)
        return {"tls.crt": certificate.read_text(), "tls.key": key.read_text()}

    def files_of(self, volume):
        """{name: text} of a volume's files, or None for one that is initially empty."""
        if "configMap" in volume:
            return self.objects["ConfigMap", volume["configMap"]["name"]]["data"]
        if "secret" not in volume:
            return None
        name = volume["secret"]["secretName"]
        return self.tls if name == "lockstep-tls" else self.objects["Secret", name]["stringData"]

    def mounts(self):
        """(folder here, folder inside) of the pod's volumes, filled as by kubelet."""
        volumes = {volume["name"]: volume for volume in self.pod["volumes"]}
        for mount in self.pod["containers"][0]["volumeMounts"]:
            folder = self.folder / "volumes" / mount["name"]
            if not folder.exists():
                folder.mkdir(parents=True)
                files = self.files_of(volumes.get(mount["name"], {}))
                for name, text in (files or {}).items():
                    (folder / name).write_text(text.replace("0.0.0.0:9009", self.address))
                    os.chown(folder / name, 0, self.pod["securityContext"]["fsGroup"])
                    (folder / name).chmod(0o440)
                os.chown(folder, 0, self.pod["securityContext"]["fsGroup"])
                folder.chmod(0o750 if files else 0o770)
            yield folder, mount["mountPath"]

    def ask(self, path, token=None):
        """The status of a request."""
        request = urllib.request.Request(f"https://{self.address}{path}")
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        try:
            trusted = ssl.create_default_context(cadata=self.tls["tls.crt"])
            with urllib.request.urlopen(request, timeout=10, context=trusted) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return None

    def start(self):
        arguments = self.pod["containers"][0]["args"]
        pod = programs.Program(self.folder, "pod", self.image.container(arguments, mounts=list(self.mounts())))
        self.addCleanup(lambda: pod.alive and pod.kill())
        programs.wait_until(lambda: self.ask("/-/ready", TOKEN) == 200 or not pod.alive, "the pod is ready", WITHIN_S)
        self.assertTrue(pod.alive, pod.log)
        return pod

    def test_it_serves_with_tls_and_a_token_and_starts_again(self):
        for _ in range(2):
            pod = self.start()
            self.assertEqual(self.ask("/api/v1/query?query=up", TOKEN), 200)
            self.assertEqual(self.ask("/api/v1/query?query=up"), 401)
            self.assertEqual(self.ask("/api/v1/rules", TOKEN), 200)
            healthy = self.image.run(["healthy", "--url", f"https://{self.address}", "--ca-file", "/etc/lockstep/tls/tls.crt"],
                                     mounts=list(self.mounts()))
            self.assertEqual(healthy.returncode, 0, healthy.stderr)
            self.assertEqual(pod.stop(), 0, pod.log)
        self.assertEqual({path.stat().st_uid for path in (self.folder / "volumes/data").rglob("*")}, {USER_ID})


if __name__ == "__main__":
    unittest.main()
