"""The image of lockstep-agent: the Python of this Debian and clients/python."""

import pathlib

import base_system
import library_closure
from release import ROOT

PYTHON = pathlib.Path("/usr/bin/python3")
# Of the standard library: what the agent cannot use, most of its size.
LEFT_OUT = frozenset({"__pycache__", "distutils", "ensurepip", "idlelib", "lib2to3", "pydoc_data", "sqlite3", "test", "tkinter",
                      "turtledemo", "EXTERNALLY-MANAGED"})
LEFT_OUT_EXTENSIONS = ("_curses", "_dbm", "_gdbm", "_sqlite3", "_test", "_tkinter", "_xx", "audioop", "nis",
                       "ossaudiodev", "readline", "xx")


def contents():
    """The image's root file system, and what its containers are started with."""
    root = base_system.make()
    interpreter = PYTHON.resolve()
    library = pathlib.Path("/usr/lib") / interpreter.name
    root.copy(str(interpreter), interpreter, mode=0o755)
    root.link(str(PYTHON), interpreter.name)
    extensions = []
    for file in _files(library):
        if file.suffix == ".so":
            extensions.append(file)
        root.copy(str(file), file)
    base_system.add_libraries(root, [interpreter, *extensions])
    base_system.add_packages(root, library_closure.debian_packages([interpreter, library / "os.py", library / "asyncio/base_events.py"]))
    sources = ROOT / "clients/python/src"
    for file in _files(sources):
        root.copy(f"/usr/lib/python3/dist-packages/{file.relative_to(sources)}", file)
    return root, {
        "User": f"{base_system.USER_ID}:{base_system.USER_ID}",
        # The NVIDIA container runtime adds the driver's library and devices where it finds these.
        "Env": [*base_system.ENVIRONMENT, "PYTHONDONTWRITEBYTECODE=1", "NVIDIA_VISIBLE_DEVICES=all",
                "NVIDIA_DRIVER_CAPABILITIES=utility"],
        "Entrypoint": ["/usr/bin/python3", "-m", "lockstep.agent"],
        "WorkingDir": "/",
        "StopSignal": "SIGTERM",
    }


def _files(folder):
    """The files below `folder` that belong into the image."""
    for path in sorted(folder.iterdir()):
        if path.name in LEFT_OUT or path.name.startswith("config-") or path.suffix == ".egg-info":
            continue
        if path.is_dir():
            yield from _files(path)
        elif path.suffix != ".so" or not path.name.startswith(LEFT_OUT_EXTENSIONS):
            yield path
