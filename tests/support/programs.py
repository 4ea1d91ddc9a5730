"""Starts, awaits and stops programs as child processes."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Where `./dev setup` unpacks what it does not install.
UNPACKED = ROOT / "build/tools/bin"
# Where `./dev setup test` unpacks current servers, newer than the machine's own.
PEERS = ROOT / "build/peers"
READY_WITHIN_S = 60
STOP_WITHIN_S = 60


def find_program(name):
    """The path of a program in PATH or among the unpacked ones."""
    path = shutil.which(name, path=f"{UNPACKED}:{os.environ['PATH']}")
    if path is None:
        raise FileNotFoundError(f"{name} is missing: run './dev setup test'")
    return path


def find_peer(name):
    """The path of a server among the peers; without it the test is skipped."""
    path = PEERS / name
    if not path.exists():
        raise unittest.SkipTest(f"{path} is missing: run './dev setup test'")
    return str(path)


def free_address(*preferred_ports):
    """127.0.0.1 with a free port: the first free one of those preferred, or any."""
    for port in (*preferred_ports, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return f"127.0.0.1:{probe.getsockname()[1]}"
    raise OSError("there is no free port on 127.0.0.1")


def wait_until(condition, what, within_s):
    """Calls `condition` repeatedly, and returns its first true result."""
    deadline = time.monotonic() + within_s
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not within {within_s} s")
        time.sleep(0.05)


def ask(url, path, **parameters):
    """The "data" of a response of the HTTP API at `url`; `match` stands for match[]."""
    return ask_as(url, {}, path, **parameters)


def ask_as(url, headers, path, **parameters):
    """The same with these headers."""
    form = urllib.parse.urlencode(
        {{"match": "match[]"}.get(key, key): value for key, value in parameters.items()},
        doseq=True)
    try:
        request = urllib.request.Request(f"{url}/api/v1/{path}?{form}", headers=headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["data"]
    except urllib.error.HTTPError as error:
        raise AssertionError(f"{path}?{form}: {error.read().decode()}") from error


class Program:
    """A child process that appends its output to NAME.log in `folder`."""

    def __init__(self, folder, name, arguments, stdout=None, **options):
        """`stdout` and `options` are those of subprocess.Popen."""
        self._log = folder / f"{name}.log"
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL,
                                             stdout=stdout or log, stderr=log, **options)

    @property
    def pid(self):
        return self._process.pid

    @property
    def log(self):
        return self._log.read_text(errors="replace")

    @property
    def alive(self):
        return self._process.poll() is None

    def kill(self):
        """Sends SIGKILL and waits for the end."""
        self._process.kill()
        self._process.wait()
        self._close()

    def stop(self):
        """Sends SIGTERM and returns the exit status; kills a program that does not end."""
        self._process.terminate()
        return self.wait()

    def wait(self):
        """The exit status of a program that is ending; kills one that does not end."""
        try:
            return self._process.wait(STOP_WITHIN_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        finally:
            self._close()

    def _close(self):
        if self._process.stdout:
            self._process.stdout.close()

    def _last_words(self):
        return self.log[-2000:]


class Listener(Program):
    """A program that listens on `address`; returned when it responds at `ready_path`."""

    def __init__(self, folder, name, arguments, address, ready_path, **options):
        super().__init__(folder, name, arguments, **options)
        self.address = address
        self.url = f"http://{address}"
        try:
            wait_until(lambda: self._answers(ready_path), f"{name} is ready", READY_WITHIN_S)
        except BaseException:
            self.kill()
            raise

    def _answers(self, path):
        if not self.alive:
            raise ChildProcessError(f"ended while starting; {self._last_words()}")
        try:
            urllib.request.urlopen(self.url + path, timeout=5).close()
            return True
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False
