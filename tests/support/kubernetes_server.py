"""A Kubernetes API server with its etcd as child processes, and the requests by which tests fill
it."""

import json
import ssl
import unittest
import urllib.error
import urllib.request

import certificates
import programs

PROGRAM = programs.ROOT / "build/tools/kubernetes-server"
# It takes five seconds of a core.
READY_WITHIN_S = 240
ADMIN = "token-of-the-administrator"


class Refused(Exception):
    """The server answered with an error."""

    def __init__(self, status, text):
        super().__init__(f"{status} {text}")
        self.status, self.text = status, text


class Cluster:
    """An API server without nodes that run anything: objects are what is written.

    `folder` holds certificates (certificates.make), data and logs. Whoever shows the certificate
    client.crt is the user "client".
    """

    def __init__(self, folder):
        if not PROGRAM.exists():
            raise unittest.SkipTest(
                f"{PROGRAM} is missing: run 'tools/build_kubernetes.sh build/tools'"
            )
        self.folder = folder
        certificates.make(folder)
        self.ca = folder / "ca.crt"
        (folder / "tokens.csv").write_text(f'{ADMIN},admin,1,"system:masters"\n')
        self._tls = ssl.create_default_context(cafile=self.ca)
        etcd = programs.free_address()
        self.etcd = programs.Listener(
            folder, "etcd", [str(PROGRAM), "etcd", str(folder / "etcd"), etcd], etcd, "/health"
        )
        self.api = None
        self.address = programs.free_address()
        self.url = f"https://{self.address}"

    def start(self, *flags):
        """Starts the API server, at the same address each time; returns when it is ready."""
        host, port = self.address.split(":")
        key = self.folder / "server.key"
        self.api = programs.Program(
            self.folder,
            "apiserver",
            [
                str(PROGRAM),
                "apiserver",
                f"--etcd-servers={self.etcd.url}",
                f"--bind-address={host}",
                f"--secure-port={port}",
                # It publishes endpoints for itself, which cannot be at a loopback address.
                "--advertise-address=192.0.2.1",
                f"--tls-cert-file={self.folder / 'server.crt'}",
                f"--tls-private-key-file={key}",
                f"--client-ca-file={self.ca}",
                f"--token-auth-file={self.folder / 'tokens.csv'}",
                "--service-account-issuer=https://kubernetes.example",
                f"--service-account-key-file={self.folder / 'server.crt'}",
                f"--service-account-signing-key-file={key}",
                "--authorization-mode=RBAC",
                "--service-cluster-ip-range=10.96.0.0/16,fd00:96::/112",
                # Pods need no account here.
                "--disable-admission-plugins=ServiceAccount",
                *flags,
            ],
            cwd=self.folder,
        )
        try:
            programs.wait_until(self._is_ready, "the API server is ready", READY_WITHIN_S)
        except BaseException:
            self.stop()
            raise

    def _is_ready(self):
        if not self.api.alive:
            raise ChildProcessError(f"the API server ended; {self.api.log[-2000:]}")
        try:
            self.ask("GET", "/readyz")
            return True
        except (Refused, OSError):
            return False

    def stop(self):
        """Ends the API server at once; etcd keeps what it wrote."""
        if self.api is not None and self.api.alive:
            self.api.kill()

    def close(self):
        self.stop()
        if self.etcd.alive:
            self.etcd.kill()

    def ask(self, method, path, body=None, token=ADMIN):
        """The answer, read if it is JSON. A PATCH merges."""
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        request = urllib.request.Request(
            self.url + path,
            None if body is None else json.dumps(body).encode(),
            method=method,
            headers={"Authorization": f"Bearer {token}", "Content-Type": kind},
        )
        try:
            with urllib.request.urlopen(request, timeout=60, context=self._tls) as answer:
                text = answer.read().decode()
                return json.loads(text) if "json" in answer.headers["Content-Type"] else text
        except urllib.error.HTTPError as error:
            with error:
                raise Refused(error.code, error.read().decode()) from None

    @staticmethod
    def path(kind, namespace=None):
        """That of all objects of a kind: "pods", or "apis/discovery.k8s.io/v1/endpointslices"."""
        group, _, name = kind.rpartition("/")
        space = f"namespaces/{namespace}/" if namespace else ""
        return f"/{group or 'api/v1'}/{space}{name}"

    def create(self, kind, item, namespace=None):
        """Writes an object, and its status, which is no part of what is written first."""
        path = self.path(kind, namespace)
        self.ask("POST", path, {key: value for key, value in item.items() if key != "status"})
        if "status" in item:
            self.ask(
                "PATCH", f"{path}/{item['metadata']['name']}/status", {"status": item["status"]}
            )

    def change(self, kind, name, patch, namespace=None):
        self.ask("PATCH", f"{self.path(kind, namespace)}/{name}", patch)

    def delete(self, kind, name, namespace=None):
        """At once: nothing runs that would have to end first."""
        self.ask("DELETE", f"{self.path(kind, namespace)}/{name}", {"gracePeriodSeconds": 0})

    def account(self, name, rules=(), namespace="default"):
        """A token of a new service account, which has these rights in the whole cluster."""
        self.create("serviceaccounts", {"metadata": {"name": name}}, namespace)
        if rules:
            self.grant(
                name, rules, [{"kind": "ServiceAccount", "name": name, "namespace": namespace}]
            )
        answer = self.ask(
            "POST",
            f"{self.path('serviceaccounts', namespace)}/{name}/token",
            {"spec": {"expirationSeconds": 3600}},
        )
        return answer["status"]["token"]

    def grant(self, name, rules, subjects, namespace=None):
        """Makes a role, and gives it to the subjects, in the whole cluster or in a namespace."""
        role = "Role" if namespace else "ClusterRole"
        rbac = "rbac.authorization.k8s.io"
        group = f"apis/{rbac}/v1"
        self.create(
            f"{group}/{role.lower()}s", {"metadata": {"name": name}, "rules": rules}, namespace
        )
        self.create(
            f"{group}/{role.lower()}bindings",
            {
                "metadata": {"name": name},
                "subjects": subjects,
                "roleRef": {"apiGroup": rbac, "kind": role, "name": name},
            },
            namespace,
        )

    def revoke(self, name):
        self.delete("apis/rbac.authorization.k8s.io/v1/clusterrolebindings", name)

    def forget_history(self):
        """Compacts etcd: nothing can be read any more as it was before."""

        def call(path, body):
            request = urllib.request.Request(
                f"{self.etcd.url}/v3/kv/{path}", json.dumps(body).encode(), method="POST"
            )
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)

        revision = call("range", {"key": "AA=="})["header"]["revision"]
        call("compaction", {"revision": revision, "physical": True})
