"""The Helm chart and the plain manifests: rendered with common settings and validated against the
published schemas of Kubernetes and the Prometheus operator; invalid settings are rejected.

Needs helm and kubeconform as built by tools/build_helm.sh and tools/build_kubeconform.sh, and
PyYAML. LOCKSTEP_PROGRAM names the program that reads the configuration in the chart.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/support"), str(ROOT / "packaging/kubernetes")]

import generate
import programs

try:
    import yaml
except ImportError:
    yaml = None

CHART = ROOT / "packaging/helm/lockstep"
TOOLS = ROOT / "build/tools"
SCHEMAS = TOOLS / "kubernetes-schemas"
RELEASES = ("1.27.0", "1.37.0")
WITHIN_S = 120

BCRYPT = "$2y$10$" + "a" * 53
SHA256 = "0123456789abcdef" * 4
DIGEST = f"sha256:{SHA256}"

# Settings by purpose. Each is rendered and validated against the schemas.
SETTINGS = {
    "defaults": {},
    "gpu agents": {"agent": {"enabled": True, "gpu": {"enabled": True}, "labels": {"cluster": "a"}},
                   "networkPolicy": {"nodeCidrs": ["10.0.0.0/16", "fd00::/64"]}},
    "agents without GPUs": {"agent": {"enabled": True, "hostNetwork": False, "intervalSeconds": 0.5}},
    "TLS and users": {"web": {"tls": {"secretName": "lockstep-tls"}, "users": {"grafana": BCRYPT},
                              "tokens": {"trainer": SHA256}},
                      "agent": {"enabled": True, "hostNetwork": False, "tokenSecret": {"name": "agent-token", "key": "token"},
                                "caSecret": {"name": "lockstep-tls", "key": "ca.crt"}}},
    "TLS alone": {"web": {"tls": {"secretName": "lockstep-tls"}}},
    "client certificates": {"web": {"tls": {"secretName": "lockstep-tls", "requireClientCertificates": True}}},
    "a web file of one's own": {"web": {"existingSecret": "my-web"}},
    "a web file of one's own, with TLS": {"web": {"existingSecret": "my-web", "scheme": "https"},
                                          "serviceMonitor": {"enabled": True},
                                          "agent": {"enabled": True, "hostNetwork": False}},
    "an existing claim": {"persistence": {"existingClaim": "old-data"}},
    "no volume": {"persistence": {"enabled": False}},
    "a volume of a class": {"persistence": {"size": "2Ti", "storageClass": "fast-nvme",
                                            "accessModes": ["ReadWriteOncePod"], "annotations": {"a": "b"}}},
    "ServiceMonitor": {"serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"},
                                          "basicAuth": {"username": {"name": "s", "key": "user"},
                                                        "password": {"name": "s", "key": "password"}},
                                          "tlsConfig": {"insecureSkipVerify": True}}},
    "an eviction budget": {"podDisruptionBudget": {"enabled": True}},
    "everything else": {
        "image": {"repository": "10.1.2.3:5000/ml/lockstep", "digest": DIGEST, "pullPolicy": "Always"},
        "imagePullSecrets": [{"name": "registry"}],
        "fullnameOverride": "metrics",
        "retention": {"time": "30d", "maxBytes": "160GB", "maxSeries": 2000000,
                      "rules": [{"job": "dev-.*", "keep": "2d"}]},
        "shards": 4,
        "otlpGrpc": {"enabled": True},
        "config": {"query": {"max-samples": 100000000, "timeout": "1m"}, "log": {"format": "json"},
                   "storage": {"max-series": 5}, "rule_files": ["/etc/more/*.yml"],
                   "scrape_configs": [{"job_name": "dcgm", "static_configs": [{"targets": ["node0:9400"]}]}]},
        "rules": {"files": {"team.yml": {"groups": [{"name": "g", "rules": [{"record": "a:b", "expr": "sum(up)"}]}]}}},
        "web": {"externalUrl": "https://lockstep.example", "enableAdminApi": True, "enableLifecycle": True},
        "service": {"type": "LoadBalancer", "port": 80, "annotations": {"a": "b"}},
        "serviceAccount": {"create": False, "name": "metrics"},
        "networkPolicy": {"from": [{"namespaceSelector": {}}],
                          "egress": [{"to": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}]},
        "resources": {"requests": {"cpu": 2, "memory": "8Gi"}, "limits": {"memory": "16Gi"}},
        "podLabels": {"team": "ml"}, "podAnnotations": {"a": "b"}, "nodeSelector": {"disk": "nvme"},
        "tolerations": [{"operator": "Exists"}],
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": "disk", "operator": "Exists"}]}]}}},
        "priorityClassName": "high",
        "extraVolumes": [{"name": "backups", "persistentVolumeClaim": {"claimName": "backups"}}],
        "extraVolumeMounts": [{"name": "backups", "mountPath": "/backups"}],
    },
}

# Invalid settings, and what the error mentions.
REJECTED = (
    ({"retention": {"time": "15 days"}}, "retention/time"),
    ({"retention": {"time": None}}, "time"),
    ({"retention": {"maxBytes": "160Gi"}}, "maxBytes"),
    ({"retention": {"rules": [{"job": "dev"}]}}, "keep"),
    ({"persistence": {"size": "200 GB"}}, "size"),
    ({"persistence": {"accessModes": []}}, "accessModes"),
    ({"persistance": {"size": "1Gi"}}, "persistance"),
    ({"agent": {"gpus": True}}, "gpus"),
    ({"image": {"repository": ""}}, "repository"),
    ({"image": {"digest": "sha256:abc"}}, "digest"),
    ({"config": {"http": "0.0.0.0:80"}}, "http"),
    ({"config": {"data": "/elsewhere"}}, "data"),
    ({"web": {"users": {"grafana": "password"}}}, "grafana"),
    ({"web": {"tokens": {"trainer": "token"}}}, "trainer"),
    ({"web": {"tls": {"requireClientCertificates": True}}}, "secretName"),
    ({"networkPolicy": {"nodeCidrs": ["10.0.0.1"]}}, "nodeCidrs"),
    ({"podDisruptionBudget": {"maxUnavailable": 2}}, "maxUnavailable"),
    ({"terminationGracePeriodSeconds": 10}, "terminationGracePeriodSeconds"),
    ({"service": {"port": 99999}}, "port"),
    ({"agent": {"intervalSeconds": 0}}, "intervalSeconds"),
    ({"rules": {"files": {"team.yaml": {"groups": []}}}}, "team.yaml"),
    ({"agent": {"enabled": True}}, "networkPolicy.nodeCidrs"),
    ({"web": {"scheme": "ftp"}}, "scheme"),
    ({"web": {"existingSecret": "my-web"}, "serviceMonitor": {"enabled": True}}, "web.scheme"),
    ({"web": {"existingSecret": "my-web"}, "agent": {"enabled": True, "hostNetwork": False}}, "web.scheme"),
    ({"agent": {"enabled": True, "hostNetwork": False}, "web": {"tokens": {"trainer": SHA256}}}, "agent.tokenSecret.name"),
)


def require(name):
    """The path of a program or folder that `./dev setup test` provides; without it the test is
    skipped.
    """
    path = TOOLS / name
    if not path.exists():
        raise unittest.SkipTest(f"{path} is missing: run './dev setup test'")
    return str(path)


class HelmTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.helm, cls.kubeconform = require("helm"), require("kubeconform")
        require("kubernetes-schemas")
        if yaml is None:
            raise unittest.SkipTest("PyYAML is missing: run './dev setup test'")
        folder = tempfile.TemporaryDirectory(prefix="lockstep-helm-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.rendered = {}  # by settings

    def helm_template(self, settings):
        values = self.folder / "values.json"
        values.write_text(json.dumps(settings))
        return subprocess.run([self.helm, "template", "run", str(CHART), "--namespace", "monitoring", "-f", str(values),
                               "--kube-version", RELEASES[-1]], capture_output=True, text=True, timeout=WITHIN_S)

    def render(self, settings):
        key = json.dumps(settings)
        if key not in self.rendered:
            done = self.helm_template(settings)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.rendered[key] = done.stdout
        return self.rendered[key]

    def objects(self, settings):
        """{(kind, name): object}"""
        objects = {(one["kind"], one["metadata"]["name"]): one
                   for one in yaml.safe_load_all(self.render(settings)) if one}
        for one in objects.values():
            self.assertEqual(one["metadata"]["namespace"], "monitoring")
        return objects

    def check_schemas(self, manifests):
        """Of {name: manifest}."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for name, manifest in manifests.items():
            (folder / f"{name}.yaml").write_text(manifest)
        for release in RELEASES:
            checked = subprocess.run(
                [self.kubeconform, "-strict", "-summary", "-kubernetes-version", release, "-schema-location",
                 f"{SCHEMAS}/v{release}-standalone-strict/{{{{.ResourceKind}}}}{{{{.KindSuffix}}}}.json",
                 "-schema-location", f"{SCHEMAS}/{{{{.Group}}}}/{{{{.ResourceKind}}}}.json", str(folder)],
                capture_output=True, text=True, timeout=WITHIN_S)
            self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
            self.assertIn(f"in {len(manifests)} file", checked.stdout)
            self.assertIn("Errors: 0, Skipped: 0", checked.stdout)

    def test_manifests_are_of_kubernetes_schemas(self):
        self.check_schemas({name: self.render(settings) for name, settings in SETTINGS.items()})

    def test_the_schemas_are_strict(self):
        manifest = self.render(SETTINGS["ServiceMonitor"])
        for right, wrong in (("serviceName:", "servicename:"), ("path: /metrics", "paths: /metrics"),
                             ("replicas: 1", "replicas: one"), ("policyTypes:", "policyType:")):
            with self.subTest(wrong=wrong):
                self.assertIn(right, manifest)
                with self.assertRaises(AssertionError):
                    self.check_schemas({"wrong": manifest.replace(right, wrong)})

    def test_lint(self):
        linted = subprocess.run([self.helm, "lint", "--strict", "--kube-version", RELEASES[-1], str(CHART)], capture_output=True, text=True, timeout=WITHIN_S)
        self.assertEqual(linted.returncode, 0, linted.stdout + linted.stderr)

    def test_settings_without_sense_are_rejected(self):
        for settings, named in REJECTED:
            with self.subTest(settings=settings):
                rendered = self.helm_template(settings)
                self.assertNotEqual(rendered.returncode, 0, "it was taken")
                self.assertIn(named.replace("/", "."), rendered.stderr.replace("/", "."))

    def test_every_container_is_without_rights(self):
        for name, settings in SETTINGS.items():
            for one in self.objects(settings).values():
                if one["kind"] not in ("StatefulSet", "DaemonSet"):
                    continue
                pod = one["spec"]["template"]["spec"]
                with self.subTest(settings=name, kind=one["kind"]):
                    self.assertTrue(pod["securityContext"]["runAsNonRoot"])
                    self.assertEqual(pod["securityContext"]["seccompProfile"], {"type": "RuntimeDefault"})
                    self.assertFalse(pod["automountServiceAccountToken"])
                    for container in pod["containers"]:
                        self.assertEqual(container["securityContext"],
                                         {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                                          "capabilities": {"drop": ["ALL"]}})
                        self.assertIn("memory", container["resources"]["limits"])

    def test_volumes_fit_their_mounts(self):
        for name, settings in SETTINGS.items():
            objects = self.objects(settings)
            for one in objects.values():
                if one["kind"] not in ("StatefulSet", "DaemonSet"):
                    continue
                pod = one["spec"]["template"]["spec"]
                volumes = {volume["name"] for volume in pod.get("volumes", ())}
                volumes |= {claim["metadata"]["name"] for claim in one["spec"].get("volumeClaimTemplates", ())}
                mounted = {mount["name"] for mount in pod["containers"][0].get("volumeMounts", ())}
                with self.subTest(settings=name, kind=one["kind"]):
                    self.assertEqual(mounted, volumes)
                for volume in pod.get("volumes", ()):
                    if "configMap" in volume:
                        self.assertIn(("ConfigMap", volume["configMap"]["name"]), objects)
                    if volume.get("secret", {}).get("secretName", "").endswith("-web") and name == "TLS and users":
                        self.assertIn(("Secret", volume["secret"]["secretName"]), objects)

    def test_selectors_find_the_pods(self):
        objects = self.objects({**SETTINGS["gpu agents"], **SETTINGS["ServiceMonitor"], **SETTINGS["an eviction budget"]})
        server = objects["StatefulSet", "run-lockstep"]["spec"]
        agent = objects["DaemonSet", "run-lockstep-agent"]["spec"]
        pods = {"server": server["template"]["metadata"]["labels"], "agent": agent["template"]["metadata"]["labels"]}

        def chosen(selector):
            return {name for name, labels in pods.items() if selector.items() <= labels.items()}

        self.assertEqual(chosen(server["selector"]["matchLabels"]), {"server"})
        self.assertEqual(chosen(agent["selector"]["matchLabels"]), {"agent"})
        for name in ("run-lockstep", "run-lockstep-headless"):
            self.assertEqual(chosen(objects["Service", name]["spec"]["selector"]), {"server"})
        self.assertEqual(chosen(objects["NetworkPolicy", "run-lockstep"]["spec"]["podSelector"]["matchLabels"]), {"server"})
        self.assertEqual(chosen(objects["PodDisruptionBudget", "run-lockstep"]["spec"]["selector"]["matchLabels"]), {"server"})
        self.assertEqual(server["serviceName"], "run-lockstep-headless")
        # One of the two Services; otherwise every sample would be scraped twice.
        monitored = objects["ServiceMonitor", "run-lockstep"]["spec"]["selector"]["matchLabels"].items()
        self.assertEqual([name for (kind, name), one in objects.items()
                          if kind == "Service" and monitored <= one["metadata"]["labels"].items()], ["run-lockstep"])

    def probes(self, settings):
        container = self.objects(settings)["StatefulSet", "run-lockstep"]["spec"]["template"]["spec"]["containers"][0]
        return [container[f"{name}Probe"] for name in ("startup", "readiness", "liveness")]

    def test_probes_need_no_credentials(self):
        for name, scheme in (("defaults", "HTTP"), ("TLS alone", "HTTPS")):
            for probe in self.probes(SETTINGS[name]):
                self.assertEqual(probe["httpGet"]["scheme"], scheme)
                self.assertIn(probe["httpGet"]["path"], ("/-/ready", "/-/healthy"))
        for name in ("TLS and users", "client certificates", "a web file of one's own"):
            for probe in self.probes(SETTINGS[name]):
                self.assertEqual(probe["tcpSocket"], {"port": "http"})
                self.assertNotIn("httpGet", probe)

    def test_data_is_where_it_was_asked_for(self):
        pod = self.objects(SETTINGS["an existing claim"])["StatefulSet", "run-lockstep"]["spec"]
        self.assertIn({"name": "data", "persistentVolumeClaim": {"claimName": "old-data"}},
                      pod["template"]["spec"]["volumes"])
        self.assertNotIn("volumeClaimTemplates", pod)
        [claim] = self.objects(SETTINGS["a volume of a class"])["StatefulSet", "run-lockstep"]["spec"]["volumeClaimTemplates"]
        self.assertEqual(claim["spec"], {"accessModes": ["ReadWriteOncePod"], "storageClassName": "fast-nvme",
                                         "resources": {"requests": {"storage": "2Ti"}}})

    def test_gpu_agents_go_where_gpus_are(self):
        pod = self.objects(SETTINGS["gpu agents"])["DaemonSet", "run-lockstep-agent"]["spec"]["template"]["spec"]
        self.assertEqual(pod["nodeSelector"], {"nvidia.com/gpu.present": "true"})
        self.assertEqual(pod["tolerations"], [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}])
        self.assertEqual((pod["runtimeClassName"], pod["hostNetwork"]), ("nvidia", True))
        arguments = pod["containers"][0]["args"]
        self.assertEqual(arguments[:2], ["--url", "http://run-lockstep.monitoring.svc:9009"])
        self.assertIn("cluster=a", arguments)
        pod = self.objects(SETTINGS["a web file of one's own, with TLS"])["DaemonSet", "run-lockstep-agent"]["spec"]["template"]["spec"]
        self.assertEqual(pod["containers"][0]["args"][1], "https://run-lockstep.monitoring.svc:9009")
        pod = self.objects(SETTINGS["agents without GPUs"])["DaemonSet", "run-lockstep-agent"]["spec"]["template"]["spec"]
        self.assertTrue({"nodeSelector", "runtimeClassName", "hostNetwork"}.isdisjoint(pod))

    def test_a_new_configuration_restarts_the_pod(self):
        def annotations(settings):
            return self.objects(settings)["StatefulSet", "run-lockstep"]["spec"]["template"]["metadata"]["annotations"]
        self.assertEqual(annotations({}), annotations({"service": {"port": 80}}))
        self.assertNotEqual(annotations({}), annotations({"retention": {"time": "30d"}}))
        self.assertNotEqual(annotations({"web": {"tokens": {"a": SHA256}}}), annotations({"web": {"tokens": {"b": SHA256}}}))

    def test_lockstep_takes_its_configuration(self):
        shipped, own = self.folder / "shipped", self.folder / "own"
        shipped.mkdir()
        own.mkdir()
        for file in (ROOT / "rules_pack").glob("*.yml"):
            if not file.stem.endswith("_test"):
                shutil.copy(file, shipped)
        for name, settings in SETTINGS.items():
            objects = self.objects(settings)
            for (kind, called), one in objects.items():
                if kind == "ConfigMap" and called.endswith("-rules"):
                    for file, text in one["data"].items():
                        (own / file).write_text(text)
            [config] = [one["data"]["lockstep.yml"] for one in objects.values() if "lockstep.yml" in one.get("data", {})]
            with self.subTest(settings=name):
                self.check_config(config.replace("/usr/share/lockstep/rules_pack", str(shipped)).replace("/etc/lockstep/rules", str(own))
                                  .replace("/etc/more", str(own)))
        with self.assertRaises(AssertionError):
            self.check_config("query: {timeout: soon}")

    def check_config(self, text):
        config = self.folder / "lockstep.yml"
        config.write_text(text)
        checked = subprocess.run([os.environ["LOCKSTEP_PROGRAM"], "check", "config", str(config)], capture_output=True,
                                 text=True, timeout=WITHIN_S)
        self.assertEqual(checked.returncode, 0, checked.stderr)

    def test_settings_reach_the_configuration(self):
        objects = self.objects(SETTINGS["everything else"])
        config = yaml.safe_load(objects["ConfigMap", "metrics"]["data"]["lockstep.yml"])
        self.assertEqual(config["storage"], {"shards": 4, "max-bytes": "160GB", "max-series": 2000000,
                                             "retention": {"time": "30d", "rules": [{"job": "dev-.*", "keep": "2d"}]}})
        self.assertEqual(config["query"], {"max-samples": 100000000, "timeout": "1m"})
        self.assertEqual(config["rule_files"], ["/usr/share/lockstep/rules_pack/*.yml", "/etc/lockstep/rules/*.yml", "/etc/more/*.yml"])
        self.assertEqual((config["http"], config["otlp-grpc"]), ("0.0.0.0:9009", "0.0.0.0:4317"))
        web = yaml.safe_load(self.objects(SETTINGS["TLS and users"])["Secret", "run-lockstep-web"]["stringData"]["web.yml"])
        self.assertEqual(web, {"basic_auth_users": {"grafana": BCRYPT},
                               "lockstep_bearer_tokens": {"trainer": {"sha256": SHA256}},
                               "tls_server_config": {"cert_file": "/etc/lockstep/tls/tls.crt", "key_file": "/etc/lockstep/tls/tls.key"}})

    def test_plain_manifests_are_those_of_the_chart(self):
        manifests = {name: (generate.FOLDER / name).read_text() for name in generate.MANIFESTS}
        for name, settings in generate.MANIFESTS.items():
            with self.subTest(manifest=name):
                self.assertEqual(manifests[name], generate.manifest(self.helm, settings),
                                 "run packaging/kubernetes/generate.py")
                self.assertNotIn("Helm", manifests[name])
        self.check_schemas({**manifests, "namespace": (generate.FOLDER / "namespace.yaml").read_text()})
        listed = yaml.safe_load((generate.FOLDER / "kustomization.yaml").read_text())
        self.assertEqual(listed["resources"], ["namespace.yaml", "lockstep.yaml"])
        images = {image["name"] for image in listed["images"]}
        used = set(re.findall(r"image: \"([^:\"]+):", "".join(manifests.values())))
        self.assertEqual(images, used)

    def test_the_page_tells_of_settings_that_there_are(self):
        page = (ROOT / "docs/production.md").read_text()
        values = [yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```$", page, re.M | re.S)]
        self.assertEqual(len(values), 2)
        self.check_schemas({str(number): self.render(settings) for number, settings in enumerate(values)})
        [flags] = re.findall(r"^helm install lockstep .*\\\n((?:  --set .*\n)+)", page, re.M)
        self.assertEqual(subprocess.run([self.helm, "template", str(CHART), "--kube-version", RELEASES[-1],
                                         *flags.replace("\\\n", "").split()], capture_output=True, timeout=WITHIN_S).returncode, 0)
        for name in re.findall(r"`((?!web\.yml)(?:agent|web|networkPolicy|persistence|retention|rules|serviceMonitor)\.[a-zA-Z.]+)`", page):
            found = yaml.safe_load((CHART / "values.yaml").read_text())
            for part in name.split("."):
                self.assertIn(part, found, name)
                found = found[part]


if __name__ == "__main__":
    unittest.main()
