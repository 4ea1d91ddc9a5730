"""A lockstep discovers targets in Amazon EC2, whose API and metadata service are a small server of
the test.
"""

import hashlib
import hmac
import http.server
import json
import os
import pathlib
import sys
import tempfile
import threading
import unittest
import unittest.mock
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs
from lockstep_server import Server

WITHIN_S = 60
REGION = "us-east-1"
FAILURE = "<Response><Errors><Error><Code>{}</Code><Message>{}</Message></Error></Errors><RequestID>r</RequestID></Response>"
ZONES = ("<DescribeAvailabilityZonesResponse><availabilityZoneInfo><item><zoneName>us-east-1a</zoneName>"
         "<zoneId>use1-az4</zoneId></item></availabilityZoneInfo></DescribeAvailabilityZonesResponse>")


def instance(number):
    return (f"<item><instanceId>i-{number}</instanceId><instanceState><code>16</code><name>running</name></instanceState>"
            f"<placement><availabilityZone>us-east-1a</availabilityZone></placement>"
            f"<privateIpAddress>10.0.0.{number}</privateIpAddress>"
            f"<tagSet><item><key>Name</key><value>gpu-{number}</value></item></tagSet></item>")


def page(*numbers, more=""):
    instances = "".join(map(instance, numbers))
    return ('<?xml version="1.0" encoding="UTF-8"?>\n'
            '<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><reservationSet><item>'
            f"<ownerId>1234</ownerId><instancesSet>{instances}</instancesSet></item></reservationSet>{more}"
            "</DescribeInstancesResponse>")


def signature(secret, method, path, query, headers, signed, scope, body):
    """As described in AWS' reference of Signature Version 4; names of `headers` are in lower case."""
    def digest(key, text):
        return hmac.new(key, text.encode(), hashlib.sha256).digest()

    canonical = "\n".join([method, path, query, *(f"{name}:{' '.join(headers[name].split())}" for name in signed), "",
                           ";".join(signed), hashlib.sha256(body).hexdigest()])
    key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        key = digest(key, part)
    text = "\n".join(["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hashlib.sha256(canonical.encode()).hexdigest()])
    return digest(key, text).hex()


class Ec2(http.server.ThreadingHTTPServer):
    """Returns `pages` to clients that sign with one of the `keys`, and the metadata of an instance
    with `role`.
    """

    def __init__(self):
        self.pages = {"": page(1, 2, more="<nextToken>next/2=</nextToken>"), "next/2=": page(3)}
        self.keys = {"AKIAGIVEN": ("given/+SECRET=", "")}  # access key -> secret key, session token
        self.role = None  # (access key, secret key, session token)
        self.quotes_requests = False  # reported in rejections
        self.forms = []
        self.refusals = []
        ec2 = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def respond(self, status, text):
                body = text.encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                self.respond(*ec2.answer(self.path, headers, body))

            def do_PUT(self):
                is_right = self.path == "/latest/api/token" and "X-aws-ec2-metadata-token-ttl-seconds" in self.headers
                self.respond(200 if is_right else 400, "metadata-token")

            def do_GET(self):
                self.respond(*ec2.metadata(self.path, self.headers["X-aws-ec2-metadata-token"]))

            def log_message(self, *_):
                pass

        self.daemon_threads = True
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def refusal(self, path, headers, body):
        """Why the signature is invalid; "" if it is valid."""
        url = urllib.parse.urlsplit(path)
        algorithm, _, rest = headers.get("authorization", "").partition(" ")
        fields = dict(field.strip().split("=", 1) for field in rest.split(",") if "=" in field)
        access_key, _, scope = fields.get("Credential", "").partition("/")
        secret, token = self.keys.get(access_key, ("", ""))
        signed = fields.get("SignedHeaders", "").split(";")
        must = ["host", "x-amz-date"] + (["x-amz-security-token"] if token else [])
        if algorithm != "AWS4-HMAC-SHA256" or not secret:
            return "unknown key"
        if signed != sorted(signed) or not set(must) <= set(signed) or not set(signed) <= set(headers):
            return f"signed headers {signed}"
        if headers.get("x-amz-security-token", "") != token:
            return "wrong token"
        if scope != f"{headers['x-amz-date'][:8]}/{REGION}/ec2/aws4_request":
            return f"scope {scope}"
        if fields["Signature"] != signature(secret, "POST", url.path, url.query, headers, signed, scope, body):
            return "wrong signature"
        return ""

    def answer(self, path, headers, body):
        if reason := self.refusal(path, headers, body):
            self.refusals.append(reason)
            quoted = f" for {self.keys} and {headers.get('x-amz-security-token')}" if self.quotes_requests else ""
            message = f"AWS was not able to validate the provided access credentials{quoted}"
            return 401, FAILURE.format("AuthFailure", message)
        form = dict(urllib.parse.parse_qsl(body.decode(), strict_parsing=True))
        self.forms.append(form)
        if form["Action"] == "DescribeAvailabilityZones":
            return 200, ZONES
        return 200, self.pages[form.get("NextToken", "")]

    def metadata(self, path, token):
        name = path.removeprefix("/latest/meta-data/")
        if token != "metadata-token":
            return 401, ""
        if name == "placement/region":
            return 200, REGION
        if self.role and name == "iam/security-credentials/":
            return 200, "training-role\n"
        if self.role and name == "iam/security-credentials/training-role":
            return 200, json.dumps({"Code": "Success", "Type": "AWS-HMAC", **dict(
                zip(("AccessKeyId", "SecretAccessKey", "Token"), self.role)), "Expiration": "2030-01-01T00:00:00Z"})
        return 404, ""

    def handle_error(self, *_):
        """The client has given up, or was killed."""


class Ec2Test(unittest.TestCase):
    GIVEN = "access_key: AKIAGIVEN, secret_key: 'given/+SECRET=', "

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.ec2 = Ec2()
        self.addCleanup(self.ec2.server_close)
        self.addCleanup(self.ec2.shutdown)
        others = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        patch = unittest.mock.patch.dict(os.environ, others, clear=True)
        patch.start()
        self.addCleanup(patch.stop)
        os.environ["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = self.ec2.url

    def lockstep(self, keys):
        config = self.folder / "lockstep.yml"
        config.write_text("global: {scrape_interval: 1h}\nscrape_configs:\n- job_name: ec2\n  ec2_sd_configs:\n"
                          f"  - {{endpoint: '{self.ec2.url}', refresh_interval: 100ms, port: 9400, {keys}}}\n")
        server = Server.ready(self.folder, "--config", str(config))
        self.addCleanup(lambda: server.alive and server.kill())
        return server

    @staticmethod
    def discovered(server):
        found = programs.ask(server.url, "targets", state="active")["activeTargets"]
        return {target["discoveredLabels"]["__address__"]: target["discoveredLabels"] for target in found}

    def await_targets(self, server, *numbers):
        addresses = {f"10.0.0.{number}:9400" for number in numbers}
        try:
            programs.wait_until(lambda: set(self.discovered(server)) == addresses, "targets", WITHIN_S)
        except TimeoutError:
            self.assertEqual(set(self.discovered(server)), addresses, (self.ec2.refusals[-3:], server.log))
        return self.discovered(server)

    def await_log(self, server, text):
        try:
            programs.wait_until(lambda: text in server.log, text, WITHIN_S)
        except TimeoutError:
            self.assertIn(text, server.log)

    def told(self, server):
        """Everything that users can read."""
        connection = server.connect()
        self.addCleanup(connection.close)
        pages = [connection.get(path).text for path in
                 ("/api/v1/status/config", "/api/v1/targets", "/api/v1/scrape_pools", "/metrics")]
        return "\n".join([server.log, *pages])

    def test_instances_of_all_pages_with_given_keys(self):
        os.environ["AWS_SESSION_TOKEN"] = "of-other-keys"
        server = self.lockstep(self.GIVEN + f"region: {REGION}, filters: [{{name: 'tag:role', values: [gpu, 'a b&c=+']}}]")
        labels = self.await_targets(server, 1, 2, 3)["10.0.0.3:9400"]
        self.assertEqual({name.removeprefix("__meta_ec2_"): value for name, value in labels.items()
                          if name.startswith("__meta_")},
                         {"instance_id": "i-3", "instance_state": "running", "availability_zone": "us-east-1a",
                          "availability_zone_id": "use1-az4", "private_ip": "10.0.0.3", "owner_id": "1234",
                          "region": REGION, "tag_Name": "gpu-3"})
        first, second = [form for form in self.ec2.forms if form["Action"] == "DescribeInstances"][:2]
        self.assertEqual(first, {"Action": "DescribeInstances", "Version": "2016-11-15", "MaxResults": "500",
                                 "Filter.1.Name": "tag:role", "Filter.1.Value.1": "gpu", "Filter.1.Value.2": "a b&c=+"})
        self.assertEqual(second, first | {"NextToken": "next/2="})
        self.assertEqual(self.ec2.refusals, [])
        self.assertIn("secret_key: <secret>", programs.ask(server.url, "status/config")["yaml"])
        self.assertNotIn("SECRET", self.told(server))

    def test_keys_of_the_environment(self):
        os.environ |= {"AWS_REGION": REGION, "AWS_ACCESS_KEY_ID": "AKIAENV", "AWS_SECRET_ACCESS_KEY": "env-SECRET",
                       "AWS_SESSION_TOKEN": "token/+SECRET=="}
        self.ec2.keys = {"AKIAENV": ("env-SECRET", "token/+SECRET==")}
        server = self.lockstep("")
        self.await_targets(server, 1, 2, 3)
        self.assertEqual(self.ec2.refusals, [])
        self.assertNotIn("SECRET", self.told(server))

    def test_keys_of_the_instances_role_which_rotate(self):
        server = self.lockstep("")
        self.await_log(server, "neither access_key nor AWS_ACCESS_KEY_ID, and the instance's metadata: "
                               "/latest/meta-data/iam/security-credentials/: server returned HTTP status 404")
        for access_key, numbers in (("ASIA1", [1, 2, 3]), ("ASIA2", [7])):
            self.ec2.role = (access_key, f"{access_key}-SECRET", f"{access_key}-SECRET-token")
            self.ec2.keys = {access_key: self.ec2.role[1:]}
            self.ec2.pages = {"": page(*numbers)}
            self.await_targets(server, *numbers)
        self.assertNotIn("SECRET", self.told(server))

    def test_what_is_refused_or_makes_no_sense_changes_nothing(self):
        server = self.lockstep(self.GIVEN + f"region: {REGION}")
        self.await_targets(server, 1, 2, 3)
        keys, pages = self.ec2.keys, self.ec2.pages
        self.ec2.keys = {}
        self.await_log(server, "DescribeInstances: server returned HTTP status 401 Unauthorized: AuthFailure: AWS was not "
                               "able to validate the provided access credentials")
        self.ec2.keys = keys
        bomb = "<!DOCTYPE a [<!ENTITY e 'x'>]>" + page(9).partition("\n")[2]
        for second, said in ((page(9)[:-40], "invalid XML"), (bomb, "the XML has a document type"),
                             ("<html/>", "the answer is \\\"html\\\", not DescribeInstancesResponse")):
            self.ec2.pages = pages | {"next/2=": second}
            self.await_log(server, said)
        self.assertEqual(set(self.discovered(server)), {f"10.0.0.{number}:9400" for number in (1, 2, 3)})
        connection = server.connect()
        self.addCleanup(connection.close)
        self.assertNotIn("\nlockstep_scrape_failed_discoveries_total 0\n", connection.get("/metrics").text)
        self.ec2.pages = {"": page(9)}
        self.await_targets(server, 9)

    def test_no_secret_is_told_even_if_the_server_quotes_it(self):
        os.environ |= {"AWS_ACCESS_KEY_ID": "AKIAENV", "AWS_SECRET_ACCESS_KEY": "env-SECRET",
                       "AWS_SESSION_TOKEN": "token-SECRET"}
        self.ec2.keys = {"AKIAOTHER": ("env-SECRET", "")}
        self.ec2.quotes_requests = True
        server = self.lockstep(f"region: {REGION}")
        self.await_log(server, "AuthFailure")
        self.assertNotIn("SECRET", self.told(server))


if __name__ == "__main__":
    unittest.main()
