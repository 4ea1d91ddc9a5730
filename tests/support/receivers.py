"""Receivers of a lockstep's alerts: webhooks, and a real Alertmanager behind a gate."""

import http.server
import json
import pathlib
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

import programs
import remote_write
from lockstep_server import Server

# Debian's Alertmanager does not start without this.
TEMPLATES = pathlib.Path("/usr/share/prometheus/alertmanager")


class Receiver(http.server.ThreadingHTTPServer):
    """Keeps the bodies that were posted to it and answered with 200; `status` is the status of
    responses.
    """

    def __init__(self):
        self.bodies = []
        self.status = 200
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = receiver.answer(self.path, body)
                try:
                    self.send_response(status)
                    self.end_headers()
                except OSError:
                    pass  # the client did not wait

            def log_message(self, *_):
                pass

        self.daemon_threads = True
        super().__init__(("127.0.0.1", 0), Handler)
        self.address = f"127.0.0.1:{self.server_address[1]}"
        self.url = f"http://{self.address}/hook"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def answer(self, _path, body):
        if self.status == 200:
            self.bodies.append(json.loads(body))
        return self.status

    def handle_error(self, request, client_address):
        pass

    def states(self):
        """The alerts that a webhook has received."""
        return [alert["status"] for body in self.bodies for alert in body["alerts"]]


class Gate(Receiver):
    """In front of an Alertmanager: passes requests on while `status` is 200, and responds
    `answer_after_s` later.
    """

    def __init__(self, target):
        self.target = target
        self.answer_after_s = 0
        self.requests = 0
        self.ended = threading.Event()
        super().__init__()

    def answer(self, path, body):
        self.requests += 1
        if self.status != 200:
            return self.status
        self.bodies.append((time.time(), json.loads(body)))
        request = urllib.request.Request(f"http://{self.target}{path}", body,
                                         {"Content-Type": "application/json"})
        try:
            urllib.request.urlopen(request, timeout=30).close()
        except urllib.error.URLError:
            return 502
        self.ended.wait(self.answer_after_s)
        return 200


def temperature(gpu, value):
    """A WriteRequest with one current sample."""
    return remote_write.protobuf(
        [({"__name__": "temp", "gpu": str(gpu)}, [(int(time.time() * 1000), float(value))])])


class ReceiversTest(unittest.TestCase):
    """A folder with `rules`, and what tests of alerts start in it."""

    rules = ""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "rules.yml").write_text(self.rules)

    def configure(self, alerting):
        config = self.folder / "lockstep.yml"
        config.write_text("global: {external_labels: {cluster: c1}}\nrule_files: [rules.yml]\n"
                          "alerting:\n" + alerting)
        return config

    def lockstep(self, alerting, resend_delay="2s"):
        server = Server.ready(self.folder, "--config", str(self.configure(alerting)),
                              "--rules.alert.resend-delay", resend_delay,
                              "--web.external-url", "http://lockstep.example")
        self.addCleanup(lambda: server.alive and server.kill())
        return server

    def receiver(self, made):
        self.addCleanup(made.server_close)
        self.addCleanup(made.shutdown)
        return made

    def alertmanager(self, hook=None, address=None, name="alertmanager"):
        """A real Alertmanager that posts to `hook`, if any, as soon as it receives something."""
        config = self.folder / f"{name}.yml"
        receiver = "{name: r}" if hook is None else (
            f"{{name: r, webhook_configs: [{{url: '{hook.url}', send_resolved: true}}]}}")
        config.write_text("route: {receiver: r, group_by: ['...'], group_wait: 1ms, group_interval: 1s,"
                          f" repeat_interval: 1h}}\nreceivers: [{receiver}]\n")
        if not TEMPLATES.exists():
            raise unittest.SkipTest(f"{TEMPLATES} is missing: run './dev setup test'")
        try:
            program = programs.find_program("prometheus-alertmanager")
        except FileNotFoundError as error:
            raise unittest.SkipTest(str(error)) from error
        address = address or programs.free_address()
        server = programs.Listener(
            self.folder, name,
            [program, f"--config.file={config}", f"--storage.path={self.folder / name}",
             f"--web.listen-address={address}", "--web.route-prefix=/am",
             "--cluster.listen-address="], address, "/am/-/ready")
        self.addCleanup(lambda: server.alive and server.kill())
        return server


def metric(server, name):
    """The value of one of the server's own metrics, 0 if there is none."""
    with urllib.request.urlopen(server.url + "/metrics") as answer:
        text = answer.read().decode()
    return next((float(line.split()[1]) for line in text.splitlines() if line.startswith(name)), 0)
