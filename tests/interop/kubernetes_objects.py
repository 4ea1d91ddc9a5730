"""The objects of the cluster in kubernetes_test.py: each kind with all that its targets show."""

SLICES = "apis/discovery.k8s.io/v1/endpointslices"
INGRESSES = "apis/networking.k8s.io/v1/ingresses"


def pod_status(address, **more):
    status = {
        "phase": "Running",
        "hostIP": "10.0.0.1",
        "hostIPs": [{"ip": "10.0.0.1"}],
        "conditions": [{"type": "Ready", "status": "True"}],
        **more,
    }
    return {**status, "podIP": address, "podIPs": [{"ip": address}]} if address else status


def pod(name, address, containers=None, metadata=None, spec=None, status=None):
    """A pod on node-1, by default with one port."""
    containers = containers or [
        {"name": "main", "image": "main:1", "ports": [{"name": "http", "containerPort": 8080}]}
    ]
    return {
        "metadata": {"name": name, **(metadata or {})},
        "spec": {"nodeName": "node-1", "containers": containers, **(spec or {})},
        "status": pod_status(address, **(status or {})),
    }


def container_status(name):
    return {
        "name": name,
        "ready": True,
        "restartCount": 0,
        "image": name,
        "imageID": "",
        "containerID": f"containerd://{name}",
    }


def target_pod(name, namespace="gpu"):
    return {"kind": "Pod", "namespace": namespace, "name": name}


def tcp(port, name, **more):
    return {"name": name, "port": port, "protocol": "TCP", **more}


NODES = [
    {
        "metadata": {
            "name": "node-1",
            "labels": {"gpu": "h100", "example.org/row": "a", "empty": ""},
            "annotations": {"rack/row": "7"},
        },
        "spec": {"providerID": "cloud:///node-1"},
        "status": {
            "addresses": [
                {"type": "Hostname", "address": "node-1.example"},
                {"type": "ExternalIP", "address": "192.0.2.7"},
                {"type": "InternalIP", "address": "10.0.0.1"},
                {"type": "InternalIP", "address": "fd00::1"},
            ],
            "conditions": [
                {"type": "Ready", "status": "True"},
                {"type": "MemoryPressure", "status": "Unknown"},
            ],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
        },
    },
    {
        "metadata": {"name": "node-2", "labels": {"gpu": "none"}},
        "status": {
            "addresses": [{"type": "InternalIP", "address": "fd00::2"}],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
        },
    },
    {
        "metadata": {"name": "node-3"},
        "status": {"addresses": [{"type": "Hostname", "address": "node-3.example"}]},
    },
    {"metadata": {"name": "without-address"}},
]

PODS = {
    "gpu": [
        pod(
            "dcgm-1",
            "10.1.0.1",
            containers=[
                {
                    "name": "exporter",
                    "image": "dcgm:3",
                    "ports": [
                        {"name": "metrics", "containerPort": 9400},
                        {"containerPort": 9401, "protocol": "UDP"},
                    ],
                },
                {"name": "side", "image": "side:1"},
            ],
            metadata={
                "labels": {"app.kubernetes.io/name": "dcgm", "empty": ""},
                "annotations": {"scrape/port": "9400"},
                "ownerReferences": [
                    {"apiVersion": "v1", "kind": "Other", "name": "other", "uid": "1"},
                    {
                        "apiVersion": "apps/v1",
                        "kind": "DaemonSet",
                        "name": "dcgm",
                        "uid": "2",
                        "controller": True,
                    },
                ],
            },
            spec={
                "initContainers": [
                    {"name": "wait", "image": "busy:1", "ports": [{"containerPort": 7}]}
                ]
            },
            status={
                "containerStatuses": [container_status("side"), container_status("exporter")],
                "initContainerStatuses": [container_status("wait")],
            },
        ),
        pod(
            "dcgm-2",
            "fd00::1:2",
            metadata={"labels": {"app.kubernetes.io/name": "dcgm"}},
            spec={"nodeName": "node-2"},
            status={"conditions": [{"type": "Ready", "status": "False"}]},
        ),
        # The same port of two protocols, and of two containers.
        pod(
            "names",
            "10.1.0.3",
            containers=[
                {
                    "name": "dns",
                    "image": "dns:1",
                    "ports": [
                        {"name": "dns", "containerPort": 53, "protocol": "UDP"},
                        {"name": "dns-tcp", "containerPort": 53},
                    ],
                },
                {
                    "name": "cache",
                    "image": "dns:2",
                    "ports": [{"containerPort": 53, "hostPort": 54, "protocol": "SCTP"}],
                },
            ],
        ),
        pod("starting", "", status={"phase": "Pending", "conditions": []}),
        pod("without-port", "10.1.0.5", containers=[{"name": "main", "image": "main:1"}]),
        pod("ended", "10.1.0.6", status={"phase": "Failed", "conditions": []}),
        pod("unplaced", "10.1.0.7", spec={"nodeName": "node-that-is-gone"}),
    ],
    "other": [pod("dcgm-1", "10.1.1.1", metadata={"labels": {"app.kubernetes.io/name": "dcgm"}})],
}

SERVICES = {
    "gpu": [
        {
            "metadata": {
                "name": "dcgm",
                "labels": {"team": "infra"},
                "annotations": {"note": "Two words"},
            },
            "spec": {
                "type": "ClusterIP",
                "clusterIP": "10.96.7.7",
                "ports": [tcp(80, "metrics", targetPort="metrics"), tcp(81, "other")],
            },
        },
        {
            "metadata": {"name": "far"},
            "spec": {
                "type": "ExternalName",
                "externalName": "far.example",
                "ports": [{"port": 443}],
            },
        },
        {
            "metadata": {"name": "balanced"},
            "spec": {
                "type": "LoadBalancer",
                "clusterIP": "10.96.7.8",
                "loadBalancerIP": "192.0.2.8",
                "ports": [{"port": 80, "nodePort": 30080}],
            },
        },
        {"metadata": {"name": "headless"}, "spec": {"clusterIP": "None", "ports": [{"port": 80}]}},
        {
            "metadata": {"name": "both"},
            "spec": {
                "ipFamilyPolicy": "RequireDualStack",
                "ipFamilies": ["IPv6", "IPv4"],
                "ports": [{"port": 80}],
            },
        },
    ],
    "other": [
        {
            "metadata": {"name": "names"},
            "spec": {"clusterIP": "10.96.7.9", "ports": [{"port": 53, "protocol": "UDP"}]},
        }
    ],
}

ENDPOINTS = {
    "gpu": [
        {
            "metadata": {
                "name": "dcgm",
                "labels": {"own": "yes"},
                "annotations": {"of": "endpoints"},
            },
            "subsets": [
                {
                    "addresses": [
                        {"ip": "10.1.0.1", "nodeName": "node-1", "targetRef": target_pod("dcgm-1")},
                        {"ip": "10.1.0.3", "nodeName": "node-1", "targetRef": target_pod("names")},
                    ],
                    "notReadyAddresses": [
                        {"ip": "10.1.0.9", "hostname": "h9", "targetRef": target_pod("gone")},
                        {
                            "ip": "fd00::1:2",
                            "nodeName": "node-2",
                            "targetRef": target_pod("dcgm-2"),
                        },
                    ],
                    "ports": [tcp(9400, "metrics"), tcp(53, "dns")],
                },
                {"addresses": [{"ip": "192.0.2.1"}], "ports": [tcp(7000, "plain")]},
            ],
        },
        # Without a service.
        {
            "metadata": {"name": "kubelet"},
            "subsets": [
                {
                    "addresses": [
                        {"ip": "10.0.0.1", "targetRef": {"kind": "Node", "name": "node-1"}},
                        {
                            "ip": "10.0.0.2",
                            "nodeName": "node-2",
                            "targetRef": {"kind": "Node", "name": "node-1"},
                        },
                    ],
                    "ports": [tcp(10250, "")],
                }
            ],
        },
        {"metadata": {"name": "empty"}},
    ],
    # Its pod is in another namespace.
    "other": [
        {
            "metadata": {"name": "names"},
            "subsets": [
                {
                    "addresses": [{"ip": "10.1.0.3", "targetRef": target_pod("names")}],
                    "ports": [{"port": 53, "protocol": "UDP"}],
                }
            ],
        }
    ],
}


def slice_of(name, service, endpoints, ports, family="IPv4", **labels):
    labels = {**({"kubernetes.io/service-name": service} if service else {}), **labels}
    return {
        "metadata": {"name": name, "labels": labels, "annotations": {"of": "slices"}},
        "addressType": family,
        "endpoints": endpoints,
        "ports": ports,
    }


ENDPOINT_SLICES = {
    "gpu": [
        slice_of(
            "dcgm-1",
            "dcgm",
            [
                {
                    "addresses": ["10.1.0.1"],
                    "nodeName": "node-1",
                    "zone": "a",
                    "hostname": "h1",
                    "conditions": {"ready": True, "serving": True, "terminating": False},
                    "targetRef": target_pod("dcgm-1"),
                },
                {
                    "addresses": ["10.1.0.3"],
                    "conditions": {"ready": False, "terminating": True},
                    "targetRef": target_pod("names"),
                },
                {
                    "addresses": ["10.0.0.2"],
                    "nodeName": "node-2",
                    "targetRef": {"kind": "Node", "name": "node-1"},
                },
            ],
            [tcp(9400, "metrics", appProtocol="http"), tcp(53, "dns")],
            team="slices",
        ),
        # Any port of theirs.
        slice_of(
            "any-port",
            "dcgm",
            [{"addresses": ["10.1.0.5"], "targetRef": target_pod("dcgm-1")}],
            [{"name": "any"}],
        ),
        slice_of("no-port", "dcgm", [{"addresses": ["10.1.0.5"]}], []),
        slice_of("both-4", "both", [{"addresses": ["10.1.0.8"]}], [tcp(80, "")]),
        slice_of("both-6", "both", [{"addresses": ["fd00::8"]}], [tcp(80, "")], "IPv6"),
        slice_of("named", "", [{"addresses": ["host.example"]}], [tcp(443, "tls")], "FQDN"),
    ],
    "other": [
        slice_of(
            "names",
            "names",
            [{"addresses": ["10.1.0.3"], "targetRef": target_pod("names")}],
            [{"name": "", "port": 53, "protocol": "UDP"}],
        )
    ],
}


def path_of_ingress(path, **more):
    return {
        **({"path": path} if path else {}),
        "pathType": "ImplementationSpecific",
        "backend": {"service": {"name": "dcgm", "port": {"number": 80}}},
        **more,
    }


INGRESS_OBJECTS = {
    "gpu": [
        {
            "metadata": {
                "name": "web",
                "labels": {"team": "infra"},
                "annotations": {"of": "ingress"},
            },
            "spec": {
                "ingressClassName": "nginx",
                "tls": [{"hosts": ["a.example", "*.b.example"]}],
                "rules": [
                    {
                        "host": "a.example",
                        "http": {"paths": [path_of_ingress("/one"), path_of_ingress("")]},
                    },
                    {"host": "x.b.example"},
                    {"host": "x.y.b.example"},
                    {"host": "b.example"},
                    {"host": "*.b.example"},
                    # Every host: no address.
                    {"http": {"paths": [path_of_ingress("/all")]}},
                ],
            },
        },
        {
            "metadata": {"name": "fallback"},
            "spec": {"defaultBackend": path_of_ingress("")["backend"]},
        },
    ],
}


def write_all(cluster):
    for namespace, labels in (("gpu", {"team": "training", "empty": ""}), ("other", {})):
        cluster.create(
            "namespaces",
            {"metadata": {"name": namespace, "labels": labels, "annotations": {"owner": "x y"}}},
        )
    for node in NODES:
        cluster.create("nodes", node)
    for kind, objects in (
        ("pods", PODS),
        ("services", SERVICES),
        ("endpoints", ENDPOINTS),
        (SLICES, ENDPOINT_SLICES),
        (INGRESSES, INGRESS_OBJECTS),
    ):
        for namespace, items in objects.items():
            for item in items:
                cluster.create(kind, item, namespace)
