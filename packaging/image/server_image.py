"""The image of the server and of the command line."""

import pathlib
import tempfile

import base_system
from release import ROOT, stripped

HTTP_PORT = 9009
OTLP_GRPC_PORT = 4317


def contents(program, licences=None):
    """The image's root file system, and what its containers are started with.

    `licences` is a folder with those of the libraries that are inside of the program.
    """
    root = base_system.make()
    with tempfile.TemporaryDirectory() as folder:
        root.copy("/usr/bin/lockstep", stripped(program, pathlib.Path(folder, "lockstep")), mode=0o755)
    base_system.add_libraries(root, [program])
    for file in sorted((ROOT / "rules_pack").glob("*.yml")):
        if not file.stem.endswith("_test"):
            root.copy(f"/usr/share/lockstep/rules_pack/{file.name}", file)
    for file in sorted(licences.iterdir()) if licences else ():
        root.copy(f"/usr/share/doc/lockstep/third-party/{file.name}", file)
    return root, {
        "User": f"{base_system.USER_ID}:{base_system.USER_ID}",
        "Env": [*base_system.ENVIRONMENT],
        "Entrypoint": ["/usr/bin/lockstep"],
        "Cmd": ["serve", "--http", f"0.0.0.0:{HTTP_PORT}", "--data", "/var/lib/lockstep"],
        "WorkingDir": "/var/lib/lockstep",
        "Volumes": {"/var/lib/lockstep": {}},
        "ExposedPorts": {f"{HTTP_PORT}/tcp": {}, f"{OTLP_GRPC_PORT}/tcp": {}},
        "StopSignal": "SIGTERM",
        # Docker's and Podman's extension of the image configuration; times are nanoseconds.
        "Healthcheck": {"Test": ["CMD", "/usr/bin/lockstep", "healthy"], "Interval": 30 * 10**9,
                        "Timeout": 5 * 10**9, "StartPeriod": 300 * 10**9, "Retries": 3},
    }
