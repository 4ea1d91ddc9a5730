"""The program lockstep-agent."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import socket
import sys
from typing import List, Sequence, Tuple

from lockstep.agent.agent import Agent
from lockstep.agent.gpus import GpuSampler
from lockstep.agent.host import HostSampler
from lockstep.agent.infiniband import InfinibandSampler
from lockstep.agent.nvml import LIBRARY, Nvml, NvmlError
from lockstep.agent.pusher import Pusher
from lockstep.agent.samples import Sampler, pairs
from lockstep.errors import LockstepError
from lockstep.http_connection import HttpConnection

LOGGER = logging.getLogger("lockstep.agent")
REQUEST_TIMEOUT_S = 10.0


def label(text: str) -> Tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def positive(text: str) -> float:
    number = float(text)
    if not number > 0:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return number


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        "lockstep-agent", description="Samples GPUs (NVML) and the host (/proc), and pushes to lockstep or any "
        "other server that accepts Prometheus remote write.")
    parser.add_argument("--url", default=os.environ.get("LOCKSTEP_URL", "http://127.0.0.1:9009"),
                        help="the server, by default $LOCKSTEP_URL or %(default)s; the bearer token is "
                        "$LOCKSTEP_TOKEN")
    parser.add_argument("--interval", type=positive, default=1.0, metavar="SECONDS",
                        help="between samples (%(default)s)")
    parser.add_argument("--push-every", type=int, choices=range(1, 61), default=5, metavar="SAMPLES",
                        help="samples in a request, 1 to 60 (%(default)s)")
    parser.add_argument("--label", type=label, action="append", default=[], metavar="NAME=VALUE",
                        help="a label of all series; may be repeated")
    return parser.parse_args(arguments)


def samplers(host: str) -> List[Sampler]:
    """The samplers that apply to this machine."""
    found: List[Sampler] = [HostSampler(), InfinibandSampler()]
    try:
        found.append(GpuSampler(Nvml(os.environ.get("LOCKSTEP_NVML", LIBRARY)), host))
    except NvmlError as error:
        LOGGER.warning("no GPUs are sampled: %s", error)
    return found


def main(arguments: Sequence[str] = tuple(sys.argv[1:])) -> None:
    logging.basicConfig(format="%(asctime)s %(name)s %(message)s")
    options = parse(arguments)
    host = os.environ.get("NODE_NAME") or socket.gethostname()
    try:
        connection = HttpConnection(options.url, os.environ.get("LOCKSTEP_TOKEN"), REQUEST_TIMEOUT_S)
    except LockstepError as error:
        sys.exit(f"lockstep-agent: {error}")
    common = pairs({"Hostname": host, "instance": host, **dict(options.label)})
    agent = Agent(samplers(host), common, Pusher(connection), options.interval, options.push_every)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: agent.stop())
    agent.run()


if __name__ == "__main__":
    main()
