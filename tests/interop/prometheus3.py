"""A Prometheus 3 and a lockstep side by side, for parts of the API that older Prometheus servers
lack.
"""

import http.client
import json
import pathlib
import sys
import tempfile
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs
import remote_write
from lockstep_server import Server
from prometheus_server import Prometheus

QUERIES = pathlib.Path(__file__).resolve().parent.parent / "compliance" / "queries.json"


def start_prometheus(folder, *flags, config="{}\n", **options):
    return Prometheus(folder, "--storage.tsdb.retention.time=100y", *flags, config=config,
                      program=programs.find_peer("prometheus"), **options)


def send(server, method, path, body=None, headers=None):
    """-> (status, Content-Type, body)"""
    connection = http.client.HTTPConnection(server.address, timeout=60)
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.getheader("Content-Type"), answer.read()
    finally:
        connection.close()


def ask(server, path, **parameters):
    """-> (status, document)"""
    form = urllib.parse.urlencode(parameters, doseq=True)
    status, _, body = send(server, "GET", f"/api/v1/{path}?{form}")
    return status, json.loads(body)


def compliance_queries():
    return [row["query"] for row in json.loads(QUERIES.read_text())]


def push(server, content):
    """`content` is that of a WriteRequest."""
    status, _, text = send(server, "POST", remote_write.PATH, remote_write.snappy(content),
                           remote_write.HEADERS)
    assert status in (200, 204), (status, text)


class SideBySide(unittest.TestCase):
    """Both servers, empty; a subclass defines Prometheus' configuration."""

    prometheus_flags = ()
    lockstep_flags = ()

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-interop-")
        cls.addClassCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        cls.lockstep = Server.ready(path, "--storage.retention.time", "100y", *cls.lockstep_flags)
        cls.addClassCleanup(lambda: cls.lockstep.stop())
        cls.prometheus = start_prometheus(path, *cls.prometheus_flags)
        cls.addClassCleanup(lambda: cls.prometheus.stop())
