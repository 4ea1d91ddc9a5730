"""Credentials for tests: tokens, a web configuration with them, and gRPC calls that use them."""

import hashlib
import re

import http2
import programs

ROLES = ("read", "write", "push", "rules", "metrics", "admin")
# A token that is not configured.
WRONG = "no-such-token"
# A token without roles.
IDLE = "idle"


# Endless streams: only the head of the response counts.
ENDLESS = ("/api/v1/notifications/live",)
# Parameters for paths that take long without them.
QUICK = {"/debug/pprof/profile": "?seconds=0"}


def digest(token):
    return hashlib.sha256(token.encode()).hexdigest()


def bearer(token):
    """Headers with the token; none for None."""
    return {} if token is None else {"Authorization": f"Bearer {token}"}


def tokens_by_role():
    """A web configuration with one token per role, named after it, and IDLE."""
    tokens = "".join(f"  {name}: {{sha256: {digest(name)}}}\n" for name in (*ROLES, IDLE))
    roles = "".join(f"  - {{token: {name}, roles: [{name}]}}\n" for name in ROLES)
    return f"lockstep_bearer_tokens:\n{tokens}lockstep_roles:\n{roles}"


def paths_of_page():
    """Each path of docs/openapi.yaml with its description."""
    document = (programs.ROOT / "docs/openapi.yaml").read_text()
    paths = re.findall(r"^  (/[^\s:]*):(.*(?:\n    .*)*)", document.split("\npaths:\n")[1].split("\ncomponents:")[0],
                       re.M)
    return dict(paths)


def roles_of_paths():
    """The role that docs/openapi.yaml requires for each path."""
    roles = {}
    for path, item in paths_of_page().items():
        found = re.search(r"x-lockstep-role: ([a-z-]+)", item)
        if found is None:
            raise AssertionError(f"docs/openapi.yaml: {path} has no x-lockstep-role")
        roles[path] = found[1]
    return roles


def roles_of_methods():
    """The roles of methods for which docs/openapi.yaml has another than the path's: {(path, method): role}."""
    roles = {}
    for path, item in paths_of_page().items():
        for method, operation in re.findall(r"^    (get|post|put|delete):(.*(?:\n      .*)*)", item, re.M):
            found = re.search(r"x-lockstep-role: ([a-z-]+)", operation)
            if found is not None:
                roles[path, method.upper()] = found[1]
    return roles


def reach_of_paths():
    """What docs/openapi.yaml requires a credential to cover: "some", "all-jobs" or "all-tenants"."""
    reach = {}
    for path, item in paths_of_page().items():
        found = re.search(r"x-lockstep-reach: ([a-z-]+)", item)
        reach[path] = "some" if found is None else found[1]
    return reach


def grpc_status(address, token, message=b"", tls=None, metadata=()):
    """The status of a call of the metrics service, in plain HTTP/2; `tls` is an ssl.SSLContext."""
    fields = {name.lower(): value for name, value in {**bearer(token), **dict(metadata)}.items()}
    with http2.Client(address, tls) as client:
        client.send(http2.whole_call(1, message, fields, "http" if tls is None else "https"))
        return client.status()
