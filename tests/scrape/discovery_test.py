"""A lockstep discovers targets in a Kubernetes and in a Slurm, which are small servers and programs
of the test.
"""

import http.server
import json
import os
import pathlib
import signal
import sys
import tempfile
import threading
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs
from lockstep_server import Server

WITHIN_S = 60


def pod(name, address, **more):
    """A pod in the namespace "gpu" with an exporter, as in the Kubernetes API."""
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    return {"metadata": {"name": name, "namespace": "gpu", "labels": {"app": "dcgm"}},
            "spec": {"nodeName": "node-7", "containers": [
                {"name": "exporter", "image": "dcgm:3",
                 "ports": [{"name": "metrics", "containerPort": 9400, "protocol": "TCP"}]}]},
            "status": status | ({"podIP": address} if address else {}), **more}


def service():
    return {"metadata": {"name": "dcgm", "namespace": "gpu", "labels": {"team": "infra"}},
            "spec": {"type": "ClusterIP", "clusterIP": "10.2.0.1",
                     "ports": [{"name": "metrics", "port": 80, "protocol": "TCP"}]}}


def endpoints(ready, not_ready):
    def addresses(pods):
        return [{"ip": address, "nodeName": "node-7",
                 "targetRef": {"kind": "Pod", "namespace": "gpu", "name": name}}
                for name, address in pods.items()]

    return {"metadata": {"name": "dcgm", "namespace": "gpu"},
            "subsets": [{"addresses": addresses(ready), "notReadyAddresses": addresses(not_ready),
                         "ports": [{"name": "metrics", "port": 9400, "protocol": "TCP"}]}]}


class ApiServer(http.server.ThreadingHTTPServer):
    """Lists `objects` by path, two at a time, for clients with the token."""

    PAGE = 2

    def __init__(self):
        self.objects = {}
        self.texts = {}  # path -> the response to all clients
        self.token = "first"
        self.failures = {}  # path -> status of new requests
        self.requests = []  # (path, parameters)
        api = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                url = urllib.parse.urlsplit(self.path)
                parameters = dict(urllib.parse.parse_qsl(url.query))
                status, answer = api.answer(url.path, parameters, self.headers["Authorization"])
                body = json.dumps(answer).encode()
                api.requests.append((url.path, parameters, status))
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.daemon_threads = True
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def answer(self, path, parameters, authorization):
        begin = int(parameters.get("continue", "page/0").split("/")[1])
        status = self.failures.get((path, begin))
        if path in self.texts:
            return status or 200, self.texts[path]
        if authorization != f"Bearer {self.token}":
            status = 401
        if status or path not in self.objects:
            return status or 404, {"kind": "Status", "status": "Failure",
                                   "message": f"{path} is not for you"}
        end = begin + self.PAGE
        is_last = end >= len(self.objects[path])
        return 200, {"kind": "List", "apiVersion": "v1", "items": self.objects[path][begin:end],
                     "metadata": {} if is_last else {"continue": f"page/{end}"}}

    def count(self, status):
        return len([request for request in self.requests if request[2] == status])

    def handle_error(self, *_):
        """The client has given up, or was killed."""


class DiscoveryTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.api = ApiServer()
        self.addCleanup(self.api.server_close)
        self.addCleanup(self.api.shutdown)
        (self.folder / "token").write_text("first\n")

    def lockstep(self, jobs):
        """A server that scrapes only once an hour, so that discovered targets need not exist."""
        config = self.folder / "lockstep.yml"
        config.write_text("global: {scrape_interval: 1h}\nscrape_configs:\n" + jobs)
        server = Server.ready(self.folder, "--config", str(config))
        self.addCleanup(lambda: server.alive and server.kill())
        return server

    def kubernetes(self, role, more=""):
        return (f"- job_name: {role}\n  kubernetes_sd_configs:\n"
                f"  - role: {role}\n    api_server: '{self.api.url}'\n"
                f"    authorization: {{credentials_file: token}}\n"
                f"    refresh_interval: 100ms\n{more}")

    @staticmethod
    def discovered(server, job):
        """{__address__: discovered labels}."""
        found = programs.ask(server.url, "targets", state="active")["activeTargets"]
        return {target["discoveredLabels"]["__address__"]: target["discoveredLabels"]
                for target in found if target["scrapePool"] == job}

    def await_targets(self, server, job, addresses):
        try:
            programs.wait_until(lambda: set(self.discovered(server, job)) == set(addresses),
                                f"targets of {job}", WITHIN_S)
        except TimeoutError:
            self.assertEqual(set(self.discovered(server, job)), set(addresses), server.log)
        return self.discovered(server, job)

    def test_pods_come_and_go(self):
        self.api.objects["/api/v1/pods"] = [
            pod(f"dcgm-{i}", f"10.1.0.{i}") for i in range(1, 6)] + [pod("starting", "")]
        server = self.lockstep(self.kubernetes("pod"))
        found = self.await_targets(server, "pod", [f"10.1.0.{i}:9400" for i in range(1, 6)])
        labels = found["10.1.0.3:9400"]
        self.assertEqual(
            {name.removeprefix("__meta_kubernetes_"): value for name, value in labels.items()
             if name.startswith("__meta_")},
            {"namespace": "gpu", "pod_name": "dcgm-3", "pod_ip": "10.1.0.3", "pod_ready": "true",
             "pod_phase": "Running", "pod_node_name": "node-7", "pod_label_app": "dcgm",
             "pod_labelpresent_app": "true", "pod_container_name": "exporter",
             "pod_container_image": "dcgm:3", "pod_container_init": "false",
             "pod_container_port_name": "metrics", "pod_container_port_number": "9400",
             "pod_container_port_protocol": "TCP"})
        self.assertEqual({parameters["limit"] for _, parameters, _ in self.api.requests}, {"500"})

        # A truncated list is ignored.
        self.api.objects["/api/v1/pods"] = [pod(f"dcgm-{i}", f"10.1.0.{i}") for i in (1, 2, 3)]
        self.api.failures[("/api/v1/pods", 2)] = 410
        programs.wait_until(lambda: self.api.count(410) > 2, "lists fail", WITHIN_S)
        self.assertEqual(set(self.discovered(server, "pod")), set(found))
        self.assertIn("pods: server returned HTTP status 410 Gone: /api/v1/pods is not for you",
                      server.log)
        del self.api.failures[("/api/v1/pods", 2)]
        self.await_targets(server, "pod", [f"10.1.0.{i}:9400" for i in (1, 2, 3)])

        # Another token needs no reload.
        self.api.token = "second"
        programs.wait_until(lambda: self.api.count(401) > 2, "lists are refused", WITHIN_S)
        self.assertEqual(len(self.discovered(server, "pod")), 3)
        self.assertIn("pods: server returned HTTP status 401 Unauthorized", server.log)
        self.api.objects["/api/v1/pods"] = [pod("dcgm-9", "10.1.0.9")]
        (self.folder / "token").write_text("second")
        self.await_targets(server, "pod", ["10.1.0.9:9400"])
        connection = server.connect()
        self.addCleanup(connection.close)
        metrics = connection.get("/metrics").text
        self.assertNotIn("\nlockstep_scrape_failed_discoveries_total 0\n", metrics)
        self.assertIn("\nlockstep_scrape_targets 1\n", metrics)

    def test_a_reload_keeps_what_cannot_be_asked_again(self):
        self.api.objects["/api/v1/pods"] = [pod("dcgm-1", "10.1.0.1")]
        server = self.lockstep(self.kubernetes("pod"))
        self.await_targets(server, "pod", ["10.1.0.1:9400"])
        self.api.failures[("/api/v1/pods", 0)] = 503
        programs.wait_until(lambda: self.api.count(503) > 1, "lists fail", WITHIN_S)
        config = self.folder / "lockstep.yml"
        config.write_text(config.read_text() +
                          "- job_name: other\n  static_configs: [{targets: ['10.3.0.1:1']}]\n")
        os.kill(server.pid, signal.SIGHUP)
        self.await_targets(server, "other", ["10.3.0.1:1"])
        self.assertEqual(set(self.discovered(server, "pod")), {"10.1.0.1:9400"})

    def test_nodes_and_endpoints_of_some_namespaces(self):
        self.api.objects = {
            "/api/v1/nodes": [{"metadata": {"name": "node-7", "labels": {"gpu": "h100"}},
                               "status": {"addresses": [{"type": "InternalIP",
                                                         "address": "10.0.0.7"}],
                                          "daemonEndpoints": {"kubeletEndpoint":
                                                              {"Port": 10250}}}}],
            "/api/v1/namespaces/gpu/endpoints": [endpoints({"dcgm-1": "10.1.0.1"},
                                                           {"dcgm-2": "10.1.0.2"})],
            "/api/v1/namespaces/gpu/pods": [pod("dcgm-1", "10.1.0.1"), pod("dcgm-2", "10.1.0.2")],
            "/api/v1/namespaces/gpu/services": [service()]}
        server = self.lockstep(
            self.kubernetes("node") +
            self.kubernetes("endpoints",
                            "    namespaces: {names: [gpu]}\n"
                            "    attach_metadata: {node: true}\n"
                            "    selectors: [{role: pod, label: 'app=dcgm', "
                            "field: 'status.phase!=Failed'}]\n"))
        nodes = self.await_targets(server, "node", ["10.0.0.7:10250"])
        self.assertEqual(nodes["10.0.0.7:10250"]["instance"], "node-7")
        found = self.await_targets(server, "endpoints", ["10.1.0.1:9400", "10.1.0.2:9400"])
        for number, ready in (("1", "true"), ("2", "false")):
            labels = found[f"10.1.0.{number}:9400"]
            for name, value in {"endpoint_ready": ready, "pod_name": f"dcgm-{number}",
                                "service_label_team": "infra", "node_label_gpu": "h100",
                                "endpoints_name": "dcgm"}.items():
                self.assertEqual(labels.get(f"__meta_kubernetes_{name}"), value, name)
        selectors = {path: parameters for path, parameters, _ in self.api.requests
                     if "labelSelector" in parameters}
        self.assertEqual(set(selectors), {"/api/v1/namespaces/gpu/pods"})
        self.assertEqual(selectors.popitem()[1],
                         {"limit": "500", "labelSelector": "app=dcgm",
                          "fieldSelector": "status.phase!=Failed"})

    def test_a_server_that_does_not_answer_holds_nobody_up(self):
        silent = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
        self.addCleanup(silent.server_close)
        self.api.objects["/api/v1/pods"] = [pod("dcgm-1", "10.1.0.1")]
        server = self.lockstep(
            "- job_name: a\n  kubernetes_sd_configs:\n"
            f"  - {{role: pod, api_server: 'http://127.0.0.1:{silent.server_address[1]}'}}\n" +
            self.kubernetes("pod"))
        self.await_targets(server, "pod", ["10.1.0.1:9400"])
        self.assertNotIn("target discovery failed", server.log)  # the server still waits for it
        self.assertEqual(server.stop(), 0)

    def test_a_url(self):
        self.api.texts["/targets"] = [{"targets": ["10.0.0.1:1", "10.0.0.2:1"], "labels": {"a": "b"}}]
        server = self.lockstep(f"- job_name: url\n  http_sd_configs:\n"
                               f"  - {{url: '{self.api.url}/targets', refresh_interval: 100ms}}\n")
        found = self.await_targets(server, "url", ["10.0.0.1:1", "10.0.0.2:1"])
        self.assertEqual(found["10.0.0.1:1"]["a"], "b")
        self.assertEqual(found["10.0.0.1:1"]["__meta_url"], f"{self.api.url}/targets")
        self.api.failures[("/targets", 0)] = 503
        programs.wait_until(lambda: self.api.count(503) > 1, "it fails", WITHIN_S)
        self.assertEqual(len(self.discovered(server, "url")), 2)
        self.api.texts["/targets"] = []
        self.api.failures.clear()
        self.await_targets(server, "url", [])

    def test_slurm_nodes(self):
        nodes = self.folder / "nodes"
        nodes.write_text("NodeName=gpu-1 NodeAddr=10.0.0.1 Gres=gpu:h100:8 State=IDLE+DRAIN "
                         "Partitions=gpu\nNodeName=gpu-2 State=DOWN*\n")
        server = self.lockstep(
            "- job_name: slurm\n  slurm_sd_configs:\n"
            f"  - {{port: 9400, command: [cat, '{nodes}'], refresh_interval: 100ms}}\n"
            "- job_name: file\n  slurm_sd_configs: [{port: 9100, file: nodes}]\n"
            "  relabel_configs:\n"
            "  - {source_labels: [__meta_slurm_state], regex: DOWN, action: drop}\n")
        found = self.await_targets(server, "slurm", ["10.0.0.1:9400", "gpu-2:9400"])
        self.assertEqual(found["gpu-2:9400"]["__meta_slurm_state_flags"], ",NOT_RESPONDING,")
        self.assertEqual(found["10.0.0.1:9400"]["__meta_slurm_state_flags"], ",DRAIN,")
        self.await_targets(server, "file", ["10.0.0.1:9100"])
        nodes.unlink()
        programs.wait_until(lambda: "cat exited with status 1" in server.log, "it fails", WITHIN_S)
        self.assertEqual(len(self.discovered(server, "slurm")), 2)

    def test_the_configuration_in_effect(self):
        server = self.lockstep(
            "- job_name: all\n  dns_sd_configs: [{names: [nodes.invalid]}]\n"
            "  kubernetes_sd_configs: [{role: pod, api_server: 'http://127.0.0.1:1', "
            "bearer_token: TOKEN-SECRET}]\n")
        text = programs.ask(server.url, "status/config")["yaml"]
        self.assertIn("role: pod", text)
        self.assertIn("nodes.invalid", text)
        self.assertNotIn("TOKEN-SECRET", text)


if __name__ == "__main__":
    unittest.main()
