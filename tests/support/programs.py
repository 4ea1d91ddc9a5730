"""Servers as child processes: started on free ports of 127.0.0.1, ended when the test ends."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Where `./dev setup` unpacks what it does not install.
UNPACKED = ROOT / "build/tools/bin"
READY_WITHIN_S = 60
STOP_WITHIN_S = 60


def find_program(name):
    """The path of a program in PATH or among the unpacked ones."""
    path = shutil.which(name, path=f"{UNPACKED}:{os.environ['PATH']}")
    if path is None:
        raise FileNotFoundError(f"{name} is missing: run './dev setup test'")
    return path


def free_address():
    """127.0.0.1 with a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


def wait_until(condition, what, within_s):
    """Returns the first true answer of `condition`, which is asked again and again."""
    deadline = time.monotonic() + within_s
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not within {within_s} s")
        time.sleep(0.05)


def ask(url, path, **parameters):
    """The "data" of an answer of the HTTP API at `url`; `match` stands for match[]."""
    form = urllib.parse.urlencode(
        {{"match": "match[]"}.get(key, key): value for key, value in parameters.items()},
        doseq=True)
    try:
        with urllib.request.urlopen(f"{url}/api/v1/{path}?{form}", timeout=60) as answer:
            return json.load(answer)["data"]
    except urllib.error.HTTPError as error:
        raise AssertionError(f"{path}?{form}: {error.read().decode()}") from error


class Program:
    """A server that listens on `address`; made when it answers on `ready_path`."""

    def __init__(self, folder, name, arguments, address, ready_path):
        self.address = address
        self.url = f"http://{address}"
        self.log = folder / f"{name}.log"
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(arguments, cwd=folder, stdin=subprocess.DEVNULL,
                                             stdout=log, stderr=log)
        wait_until(lambda: self._answers(ready_path), f"{name} is ready", READY_WITHIN_S)

    @property
    def pid(self):
        return self._process.pid

    def _answers(self, path):
        if self._process.poll() is not None:
            raise ChildProcessError(self.log.read_text(errors="replace"))
        try:
            urllib.request.urlopen(self.url + path, timeout=5).close()
            return True
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False

    def stop(self):
        """Asks the program to end, waits, and returns its exit status."""
        self._process.terminate()
        try:
            return self._process.wait(STOP_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise
