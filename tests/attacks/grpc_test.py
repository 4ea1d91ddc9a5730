"""Unauthenticated clients that try to exhaust the server at its gRPC port: the server closes their
connections, its memory does not grow, and other clients are served.
"""

import pathlib
import re
import resource
import socket
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import credentials
import http2
import lockstep_server
import programs

MIB = 1 << 20
# How much memory an attack may add to the server.
MAX_GROWTH = 64 * MIB
OK, DEADLINE_EXCEEDED, UNAUTHENTICATED = 0, 4, 16
WITHIN_S = 60
ADDRESS = re.compile(r"listening for OTLP over gRPC.*address=\"?([0-9.]+:[0-9]+)")
TOKEN = "somebody"
# The attackers come from 127.0.0.1.
POLITE = "127.0.0.2"
# docs/otlp.md
MAX_CONNECTIONS, MAX_STREAMS, MAX_RESETS = 1024, 100, 200


class GrpcAttackTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-attack-")
        self.addCleanup(folder.cleanup)
        web = pathlib.Path(folder.name) / "web.yml"
        web.write_text(f"lockstep_bearer_tokens: {{{TOKEN}: {{sha256: {credentials.digest(TOKEN)}}}}}\n")
        self.server = lockstep_server.Server.ready(pathlib.Path(folder.name), "--web.config.file", str(web),
                                                   "--otlp-grpc", "127.0.0.1:0")
        self.addCleanup(self.server.kill)
        self.address = ADDRESS.search(self.server.log)[1]
        self.assert_serves()
        self.before = self.peak_bytes()

    def tearDown(self):
        self.assert_serves()
        self.assertLess(self.peak_bytes() - self.before, MAX_GROWTH)

    def assert_serves(self):
        self.assertEqual(credentials.grpc_status(self.address, TOKEN), OK)

    def peak_bytes(self):
        status = pathlib.Path(f"/proc/{self.server.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) * 1024

    def client(self):
        client = http2.Client(self.address)
        self.addCleanup(client.close)
        return client

    def assert_ended(self, client, frames, error, max_bytes):
        """Sends the frames repeatedly until the server closes the connection, which it soon does."""
        sent = 0
        while client.send(frames):
            sent += len(frames)
            self.assertLess(sent, max_bytes)
        # The last response may be lost if the server closes while data still arrives.
        self.assertIn(client.error_at_end(), (error, None))

    def test_streams_that_are_reset_at_once(self):
        head = http2.call_head({"authorization": f"Bearer {TOKEN}"})
        reset = (8).to_bytes(4, "big")
        client = self.client()
        self.assertTrue(client.send(b"".join(
            http2.frame(http2.HEADERS, http2.END_HEADERS, stream, head) +
            http2.frame(http2.RST_STREAM, 0, stream, reset) for stream in range(1, 4 * MAX_RESETS, 2))))
        self.assertEqual(client.error_at_end(), http2.ENHANCE_YOUR_CALM)

    def test_headers_without_end(self):
        client = self.client()
        client.send(http2.frame(http2.HEADERS, 0, 1, http2.call_head()))
        block = b"".join(http2.literal(f"a{i}", "x" * 100) for i in range(140))
        self.assert_ended(client, http2.frame(http2.CONTINUATION, 0, 1, block), http2.ENHANCE_YOUR_CALM, 16 * MIB)

    def test_a_number_without_end(self):
        client = self.client()
        client.send(http2.frame(http2.HEADERS, 0, 1, http2.call_head() + b"\x10\x7f"))
        self.assert_ended(client, http2.frame(http2.CONTINUATION, 0, 1, b"\x80" * 16000), http2.COMPRESSION_ERROR,
                          16 * MIB)

    def test_pings_without_end(self):
        self.assert_ended(self.client(), http2.frame(http2.PING, 0, 0, bytes(8)) * 1000, http2.ENHANCE_YOUR_CALM,
                          16 * MIB)

    def test_calls_without_a_message(self):
        fields = {"authorization": f"Bearer {TOKEN}"}
        clients = [self.client() for _ in range(4)]
        for client in clients:
            client.send(b"".join(http2.frame(http2.HEADERS, http2.END_HEADERS, stream, http2.call_head(fields))
                                 for stream in range(1, 2 * MAX_STREAMS, 2)))
        self.assert_serves()
        for client in clients:
            self.assertEqual([client.status() for _ in range(MAX_STREAMS)], [DEADLINE_EXCEEDED] * MAX_STREAMS)

    def test_calls_without_a_credential_hold_no_stream(self):
        client = self.client()
        for stream in range(1, 2 * 5 * MAX_STREAMS, 2):
            client.send(http2.frame(http2.HEADERS, http2.END_HEADERS, stream, http2.call_head()))
            self.assertEqual(client.status(), UNAUTHENTICATED)

    def test_connections_that_only_wait(self):
        host, port = self.address.split(":")
        with http2.Client(self.address, source=POLITE) as steady:
            steady.send(http2.whole_call(1, b"", {"authorization": f"Bearer {TOKEN}"}))
            self.assertEqual(steady.status(), OK)
            for _ in range(MAX_CONNECTIONS + 100):
                waiting = socket.create_connection((host, int(port)))
                self.addCleanup(waiting.close)
            self.assert_serves()
            steady.send(http2.whole_call(3, b"", {"authorization": f"Bearer {TOKEN}"}))
            self.assertEqual(steady.status(), OK)

    def test_a_moment_without_file_handles(self):
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        used = len(list(pathlib.Path(f"/proc/{self.server.pid}/fd").iterdir()))
        resource.prlimit(self.server.pid, resource.RLIMIT_NOFILE, (used + 16, hard))
        host, port = self.address.split(":")
        waiting = [socket.create_connection((host, int(port))) for _ in range(100)]
        said = "cannot accept a connection"
        programs.wait_until(lambda: said in self.server.log, said, WITHIN_S)
        for connection in waiting:
            connection.close()


if __name__ == "__main__":
    unittest.main()
