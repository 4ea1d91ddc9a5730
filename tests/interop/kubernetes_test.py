"""A lockstep and a Prometheus find the same targets in a Kubernetes: a real API server, with
objects that the test writes.

LOCKSTEP_PROGRAM names the server. tools/build_kubernetes.sh build/tools makes the API server, and
tools/build_prometheus.sh build/peers the Prometheus; without them the test is skipped.
"""

import collections
import concurrent.futures
import http.server
import json
import pathlib
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import kubernetes_objects as objects
import programs
from kubernetes_server import Cluster, Refused
from lockstep_server import Server
from prometheus_server import Prometheus

WITHIN_S = 120
MORE_THAN_A_PAGE = 510
ROLES = ("node", "pod", "service", "endpoints", "endpointslice", "ingress")
KINDS = {
    "": ["endpoints", "namespaces", "nodes", "pods", "services"],
    "discovery.k8s.io": ["endpointslices"],
    "networking.k8s.io": ["ingresses"],
}


def rules(*verbs):
    """The right to do this with all that has targets."""
    return [
        {"apiGroups": [group], "resources": kinds, "verbs": verbs} for group, kinds in KINDS.items()
    ]


# Keys of kubernetes_sd_configs, by job.
JOBS = {
    **{role: f"role: {role}" for role in ROLES},
    **{
        f"{role}-with-nodes": f"role: {role}, attach_metadata: {{node: true}}"
        for role in ("pod", "endpoints", "endpointslice")
    },
    **{
        f"{role}-with-namespaces": f"role: {role}, attach_metadata: {{namespace: true}}"
        for role in ROLES
        if role != "node"
    },
    "pod-of-some-nodes": "role: pod, attach_metadata: {node: true}, "
    "selectors: [{role: node, label: gpu=h100}]",
    "pod-of-namespace": "role: pod, namespaces: {names: [other]}",
    "endpoints-of-namespaces": "role: endpoints, namespaces: {names: [gpu, default]}",
    "pod-by-label": "role: pod, "
    "selectors: [{role: pod, label: 'app.kubernetes.io/name in (dcgm, x)'}]",
    "pod-by-field": "role: pod, "
    "selectors: [{role: pod, field: 'spec.nodeName=node-1,status.phase!=Failed'}]",
    "endpointslice-by-label": "role: endpointslice, "
    "selectors: [{role: endpointslice, label: team=slices}, "
    "{role: service, label: team!=infra}, {role: pod, field: metadata.name=names}]",
}
RELABELLED = """
- job_name: relabelled
  kubernetes_sd_configs: [{%s}]
  relabel_configs:
  - source_labels: [__meta_kubernetes_pod_container_port_name]
    regex: "metrics|dns.*"
    action: keep
  - {source_labels: [__meta_kubernetes_pod_phase], regex: Failed, action: drop}
  - {regex: "__meta_kubernetes_pod_label_(.+)", action: labelmap}
  - source_labels: [__meta_kubernetes_namespace, __meta_kubernetes_pod_name]
    separator: "/"
    target_label: pod
  - {source_labels: [__meta_kubernetes_pod_container_port_name], target_label: port}
  - source_labels: [__meta_kubernetes_pod_annotation_scrape_port]
    regex: "(.+)"
    target_label: __metrics_path__
    replacement: "/of/$1"
"""


# Settings of a job that Prometheus 3.14 takes from labels as well.
SETTINGS = (
    "__always_scrape_classic_histograms__",
    "__convert_classic_histograms_to_nhcb__",
    "__scrape_native_histograms__",
)


def as_text(labels):
    if isinstance(labels, dict):
        labels = {name: value for name, value in labels.items() if name not in SETTINGS}
    return json.dumps(labels, sort_keys=True)


def found(server, state, *kinds):
    """{scrape pool: how often each set of labels is there}"""
    targets = collections.defaultdict(collections.Counter)
    for target in programs.ask(server.url, "targets", state=state)[f"{state}Targets"]:
        targets[target["scrapePool"]][" ".join(as_text(target[kind]) for kind in kinds)] += 1
    return targets


def active(server):
    return found(server, "active", "discoveredLabels", "labels", "scrapeUrl")


def dropped(server):
    return found(server, "dropped", "discoveredLabels")


def addresses(server, job):
    return sorted(
        target["discoveredLabels"]["__address__"]
        for target in programs.ask(server.url, "targets", state="active")["activeTargets"]
        if target["scrapePool"] == job
    )


def addresses_of_pods():
    """What pods are targets at, by what was written."""
    return sorted(
        address
        for pods in objects.PODS.values()
        for pod in pods
        if "podIP" in pod["status"]
        for containers in ("containers", "initContainers")
        for container in pod["spec"].get(containers, ())
        for address in addresses_of_container(pod["status"]["podIP"], container.get("ports", ()))
    )


def addresses_of_container(address, ports):
    host = f"[{address}]" if ":" in address else address
    return [f"{host}:{port['containerPort']}" for port in ports] or [host]


def discovered(server, job):
    """The labels of each target, less the prefix of meta labels."""
    return [
        {
            name.removeprefix("__meta_kubernetes_"): value
            for name, value in target["discoveredLabels"].items()
        }
        for target in programs.ask(server.url, "targets", state="active")["activeTargets"]
        if target["scrapePool"] == job
    ]


def meta_labels_of(server, job, address):
    [labels] = [one for one in discovered(server, job) if one["__address__"] == address]
    return {name: value for name, value in labels.items() if name != "job" and name[:2] != "__"}


class Between(http.server.ThreadingHTTPServer):
    """Asks the API server as an administrator whatever it is asked, and calls `before` with each
    path first."""

    def __init__(self, cluster, before):
        between = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                before(self.path)
                try:
                    status, text = 200, json.dumps(cluster.ask("GET", self.path))
                except Refused as refused:
                    status, text = refused.status, refused.text
                between.answers.append((self.path, status, text))
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_):
                pass

        self.daemon_threads = True
        self.answers = []
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        """Whoever asked has given up, or was killed."""


class KubernetesTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-kubernetes-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cluster = Cluster(self.folder)
        self.addCleanup(self.cluster.close)

    def start(self, *flags):
        self.cluster.start(*flags)
        objects.write_all(self.cluster)
        # What docs/scraping.md says that it needs.
        self.token("lockstep", rules("list"))

    def token(self, name, of_rules=()):
        (self.folder / f"{name}.token").write_text(self.cluster.account(name, of_rules))

    def source(self, keys, token="lockstep", url=None, more=""):
        credentials = f", authorization: {{credentials_file: {token}.token}}" if token else ""
        return (
            f"{keys}, api_server: '{url or self.cluster.url}'{credentials}"
            f", tls_config: {{ca_file: ca.crt}}{more}"
        )

    @staticmethod
    def job(name, source):
        """One whose targets have all that was discovered among their labels: equal ones are one."""
        return (
            f"- job_name: {name}\n  kubernetes_sd_configs: [{{{source}}}]\n"
            "  relabel_configs: [{action: labelmap, regex: __meta_kubernetes_(.+)}]\n"
        )

    def config(self, jobs):
        """Targets need not be there to be found: they are asked once an hour."""
        return "global: {scrape_interval: 1h}\nscrape_configs:\n" + jobs

    def lockstep(self, jobs):
        path = self.folder / "lockstep.yml"
        path.write_text(self.config(jobs))
        server = Server.ready(self.folder, "--config", str(path))
        self.addCleanup(lambda: server.alive and server.kill())
        return server

    def prometheus(self, jobs):
        server = Prometheus(
            self.folder, config=self.config(jobs), program=programs.find_peer("prometheus-next")
        )
        self.addCleanup(lambda: server.alive and server.kill())
        return server

    def await_names(self, server, job, expected):
        def names():
            return {
                target["discoveredLabels"]["__meta_kubernetes_pod_name"]
                for target in programs.ask(server.url, "targets", state="active")["activeTargets"]
                if target["scrapePool"] == job
            }

        programs.wait_until(lambda: names() == set(expected), f"pods of {job}", WITHIN_S)

    def failures(self, server):
        connection = server.connect()
        self.addCleanup(connection.close)
        name = "lockstep_scrape_failed_discoveries_total "
        return next(
            float(line.removeprefix(name))
            for line in connection.get("/metrics").text.splitlines()
            if line.startswith(name)
        )

    def await_addresses(self, server, job, expected):
        try:
            programs.wait_until(
                lambda: addresses(server, job) == sorted(expected), f"targets of {job}", WITHIN_S
            )
        except TimeoutError:
            self.assertEqual(addresses(server, job), sorted(expected), server.log[-3000:])

    def all_jobs(self, token, more=""):
        return "".join(
            self.job(name, self.source(keys, token, more=more)) for name, keys in JOBS.items()
        ) + RELABELLED % self.source("role: pod", token, more=more)

    def assert_same_soon(self, ours, theirs, job=None):
        def differ():
            return [
                (what.__name__, pool)
                for what in (active, dropped)
                for mine, other in [(what(ours), what(theirs))]
                for pool in mine.keys() | other.keys()
                if mine[pool] != other[pool]
            ]

        try:
            programs.wait_until(lambda: not differ(), "the same targets", WITHIN_S)
        except TimeoutError:
            for what in (active, dropped):
                mine, other = what(ours), what(theirs)
                for pool in sorted(mine.keys() | other.keys()):
                    with self.subTest(what=what.__name__, pool=pool):
                        self.assertEqual(
                            sorted(mine[pool].elements()), sorted(other[pool].elements())
                        )
            raise

    def test_the_same_targets_as_a_prometheus(self):
        self.start()
        self.token("prometheus", rules("list", "watch"))
        ours = self.lockstep(self.all_jobs("lockstep", ", refresh_interval: 200ms"))
        theirs = self.prometheus(self.all_jobs("prometheus"))
        for job in (*JOBS, "relabelled"):
            programs.wait_until(
                lambda job=job: addresses(ours, job), f"{job} has targets", WITHIN_S
            )
        self.assert_same_soon(ours, theirs)
        self.check_what_the_objects_say(ours)

        self.change_objects()
        self.assert_followed(ours)
        self.assert_same_soon(ours, theirs)

        # Not the same: an IPv6 address without a port, to which a port can be added here.
        found = addresses(ours, "pod")
        self.cluster.create(
            "pods",
            objects.pod("six", "fd00::6", containers=[{"name": "main", "image": "main:1"}]),
            "gpu",
        )
        self.await_addresses(ours, "pod", [*found, "[fd00::6]"])
        self.await_addresses(theirs, "pod", [*found, "fd00::6"])

    def change_objects(self):
        """Objects come, change and go. Prometheus does not see all changes of what endpoints refer
        to, so none of that is among them."""
        cluster = self.cluster
        cluster.create("pods", objects.pod("new", "10.1.0.20"), "gpu")
        path = "/api/v1/namespaces/gpu/pods/starting/status"
        cluster.ask("PATCH", path, {"status": objects.pod_status("10.1.0.21")})
        labels = {"app.kubernetes.io/name": "other", "step": "2"}
        cluster.change("pods", "dcgm-1", {"metadata": {"labels": labels}}, "other")
        cluster.delete("pods", "ended", "gpu")
        cluster.change("nodes", "node-1", {"metadata": {"labels": {"gpu": "b200"}}})
        cluster.delete("nodes", "node-3")
        cluster.change("namespaces", "gpu", {"metadata": {"labels": {"team": "serving"}}})
        third = {
            "metadata": {"labels": {"team": "new"}},
            "spec": {"ports": [objects.tcp(82, "third")]},
        }
        cluster.change("services", "dcgm", third, "gpu")
        cluster.delete("endpoints", "kubelet", "gpu")
        cluster.change(objects.SLICES, "dcgm-1", {"ports": [objects.tcp(9401, "metrics")]}, "gpu")
        cluster.change(objects.INGRESSES, "web", {"spec": {"tls": None}}, "gpu")

    def assert_followed(self, server):
        """The targets are those of the changed objects."""

        def values(job, name):
            return {labels.get(name) for labels in discovered(server, job)}

        of_pods = {*addresses_of_pods(), "10.1.0.20:8080", "10.1.0.21:8080"} - {"10.1.0.6:8080"}
        for what, expected in {
            lambda: values("pod", "__address__"): of_pods,
            lambda: values("pod-of-namespace", "pod_label_step"): {"2"},
            lambda: values("pod-by-label", "namespace"): {"gpu"},
            lambda: values("pod-with-namespaces", "namespace_label_team"): {"serving", None},
            lambda: values("pod-with-nodes", "node_label_gpu"): {"b200", "none"},
            lambda: values("pod-of-some-nodes", "node_label_gpu"): set(),
            lambda: values("node", "node_name"): {"node-1", "node-2"},
            lambda: values("service", "service_label_team"): {"new", None},
            lambda: values("endpoints", "endpoints_name"): {"dcgm", "names", "kubernetes"},
            lambda: values("endpointslice-by-label", "endpointslice_port"): {"9401", None},
            lambda: values("ingress", "ingress_scheme"): {"http"},
        }.items():
            try:
                programs.wait_until(lambda: what() == expected, "lockstep follows", WITHIN_S)
            except TimeoutError:
                self.assertEqual(what(), expected)

    def check_what_the_objects_say(self, server):
        self.assertEqual(
            addresses(server, "node"), ["10.0.0.1:10250", "[fd00::2]:10250", "node-3.example:0"]
        )
        self.assertEqual(addresses(server, "pod"), addresses_of_pods())
        self.assertEqual(addresses(server, "pod-of-namespace"), ["10.1.1.1:8080"])
        uid = self.cluster.ask("GET", "/api/v1/namespaces/gpu/pods/dcgm-1")["metadata"]["uid"]
        self.assertEqual(
            meta_labels_of(server, "pod", "10.1.0.1:9400"),
            {
                "namespace": "gpu",
                "pod_name": "dcgm-1",
                "pod_uid": uid,
                "pod_ip": "10.1.0.1",
                "pod_host_ip": "10.0.0.1",
                "pod_node_name": "node-1",
                "pod_phase": "Running",
                "pod_ready": "true",
                "pod_controller_kind": "DaemonSet",
                "pod_controller_name": "dcgm",
                "pod_label_app_kubernetes_io_name": "dcgm",
                "pod_labelpresent_app_kubernetes_io_name": "true",
                "pod_labelpresent_empty": "true",
                "pod_annotation_scrape_port": "9400",
                "pod_annotationpresent_scrape_port": "true",
                "pod_container_name": "exporter",
                "pod_container_image": "dcgm:3",
                "pod_container_id": "containerd://exporter",
                "pod_container_init": "false",
                "pod_container_port_name": "metrics",
                "pod_container_port_number": "9400",
                "pod_container_port_protocol": "TCP",
            },
        )
        [relabelled] = [
            target
            for target in programs.ask(server.url, "targets", state="active")["activeTargets"]
            if target["scrapeUrl"] == "http://10.1.0.1:9400/of/9400"
        ]
        self.assertEqual(
            relabelled["labels"],
            {
                "app_kubernetes_io_name": "dcgm",
                "instance": "10.1.0.1:9400",
                "job": "relabelled",
                "pod": "gpu/dcgm-1",
                "port": "metrics",
            },
        )

    def test_what_is_refused(self):
        self.start()
        self.token("nobody")
        self.token(
            "of-endpoints", [{"apiGroups": [""], "resources": ["endpoints"], "verbs": ["list"]}]
        )
        self.cluster.grant("client", rules("list"), [{"kind": "User", "name": "client"}])
        self.cluster.grant(
            "of-gpu",
            rules("list"),
            [{"kind": "ServiceAccount", "name": "nobody", "namespace": "default"}],
            "gpu",
        )
        (self.folder / "wrong.token").write_text("no-such-token")
        quickly = ", refresh_interval: 200ms"
        certificates = (
            f"role: node, api_server: '{self.cluster.url}', tls_config: {{ca_file: ca.crt, "
            "cert_file: client.crt, key_file: client.key}"
        )
        server = self.lockstep(
            self.job("forbidden", self.source("role: pod", "nobody", more=quickly))
            + self.job(
                "partly",
                self.source(
                    "role: endpoints, attach_metadata: {node: true}", "of-endpoints", more=quickly
                ),
            )
            + self.job(
                "one-namespace",
                self.source("role: pod, namespaces: {names: [gpu]}", "nobody", more=quickly),
            )
            + self.job("wrong", self.source("role: pod", "wrong", more=quickly))
            + self.job("anonymous", self.source("role: node", "", more=quickly))
            + self.job(
                "stranger", self.source("role: node", more=quickly).replace("ca.crt", "other.crt")
            )
            + self.job(
                "bad-selector",
                self.source(
                    "role: pod, selectors: [{role: pod, field: spec.image=x}]", more=quickly
                ),
            )
            + self.job("certificate", certificates + quickly)
        )
        self.await_addresses(
            server, "certificate", ["10.0.0.1:10250", "[fd00::2]:10250", "node-3.example:0"]
        )
        for job, error in {
            "forbidden": "pods: server returned HTTP status 403 Forbidden: pods is forbidden: User "
            '"system:serviceaccount:default:nobody" cannot list resource "pods" in API group "" '
            "at the cluster scope",
            "partly": "services: server returned HTTP status 403 Forbidden: services is forbidden",
            "wrong": "pods: server returned HTTP status 401 Unauthorized: Unauthorized",
            "anonymous": 'User "system:anonymous" cannot list resource "nodes"',
            "stranger": "nodes: SSL certificate problem",
            "bad-selector": "field label not supported: spec.image",
        }.items():
            with self.subTest(job=job):

                def lines(job=job):
                    return [
                        line.replace('\\"', '"')
                        for line in server.log.splitlines()
                        if f'msg="target discovery failed" job={job} ' in line
                    ]

                programs.wait_until(lines, "it is logged", WITHIN_S)
                self.assertIn(error, lines()[0])
                self.assertEqual(addresses(server, job), [])
        self.assertNotIn("no-such-token", server.log)
        of_gpu = [target["metadata"]["name"] for target in objects.PODS["gpu"]]
        self.await_names(server, "one-namespace", [name for name in of_gpu if name != "starting"])

        # Rights that come and go need no reload; without them nothing changes.
        self.cluster.grant(
            "for-a-while",
            rules("list"),
            [{"kind": "ServiceAccount", "name": "nobody", "namespace": "default"}],
        )
        found = addresses_of_pods()
        self.await_addresses(server, "forbidden", found)
        self.cluster.revoke("for-a-while")
        self.cluster.delete("pods", "ended", "gpu")
        failed = self.failures(server)
        programs.wait_until(
            lambda: server.log.count("job=forbidden") > 1, "it is forbidden again", WITHIN_S
        )
        programs.wait_until(
            lambda: self.failures(server) > failed + 20, "it is forbidden", WITHIN_S
        )
        self.assertEqual(addresses(server, "forbidden"), sorted(found))

    def test_a_server_that_goes_and_comes_back(self):
        self.start()
        server = self.lockstep(
            "".join(
                self.job(role, self.source(f"role: {role}", more=", refresh_interval: 200ms"))
                for role in ("pod", "node")
            )
        )
        found = addresses_of_pods()
        self.await_addresses(server, "pod", found)
        self.cluster.stop()
        failed = self.failures(server)
        programs.wait_until(lambda: self.failures(server) > failed + 4, "nobody answers", WITHIN_S)
        self.assertEqual(addresses(server, "pod"), found)
        self.assertIn("pods: Failed to connect to 127.0.0.1 port", server.log)
        # Nothing can be read as it was before.
        self.cluster.forget_history()
        self.cluster.start()
        self.cluster.delete("pods", "ended", "gpu")
        self.cluster.create("pods", objects.pod("new", "10.1.0.20"), "gpu")
        self.await_addresses(
            server,
            "pod",
            [*(address for address in found if address != "10.1.0.6:8080"), "10.1.0.20:8080"],
        )

    def test_a_list_that_is_gone_before_it_ends(self):
        """Pages are of one state, which etcd may have forgotten when the next one is asked for."""
        # Its cache would remember for some seconds what etcd has forgotten.
        self.start("--watch-cache=false")
        names = [f"host-{i}.example" for i in range(MORE_THAN_A_PAGE)]

        def write(name):
            self.cluster.create(
                objects.INGRESSES,
                {"metadata": {"name": name}, "spec": {"rules": [{"host": name}]}},
                "other",
            )

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(write, names))
        forgets = threading.Event()

        def before(path):
            if "continue=" in path and forgets.is_set():
                self.cluster.change(
                    "namespaces",
                    "gpu",
                    {"metadata": {"annotations": {"at": str(time.monotonic())}}},
                )
                self.cluster.forget_history()

        between = Between(self.cluster, before)
        self.addCleanup(between.server_close)
        self.addCleanup(between.shutdown)
        server = self.lockstep(
            self.job(
                "ingress",
                self.source(
                    "role: ingress, namespaces: {names: [other]}",
                    "",
                    between.url,
                    ", refresh_interval: 200ms",
                ),
            )
        )
        self.await_addresses(server, "ingress", names)
        self.assertEqual({status for _, status, _ in between.answers}, {200})
        forgets.set()
        self.cluster.delete(objects.INGRESSES, names[0], "other")
        programs.wait_until(
            lambda: any(status == 410 for _, status, _ in between.answers),
            "a page is gone",
            WITHIN_S,
        )
        programs.wait_until(lambda: self.failures(server) > 1, "the list fails", WITHIN_S)
        self.assertEqual(addresses(server, "ingress"), sorted(names))
        self.assertIn(
            "ingresses: server returned HTTP status 410 Gone: "
            "The provided continue parameter is too old",
            server.log,
        )
        forgets.clear()
        self.await_addresses(server, "ingress", names[1:])


if __name__ == "__main__":
    unittest.main()
