"""Metadata and exemplars, which are kept in memory, survive a clean stop.

LOCKSTEP_PROGRAM names the server.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs
import remote_write
from lockstep_server import Server

TEXT = """# HELP latency_seconds Of a step.
# TYPE latency_seconds histogram
# UNIT latency_seconds seconds
latency_seconds_bucket{{le="0.5"}} 2 {now}
latency_seconds_bucket{{le="+Inf"}} 3 {now}
# EOF
"""


def with_exemplar(rank, now_s):
    """A TimeSeries of remote write 1.0 with one sample and one exemplar."""
    exemplar = (remote_write.label("trace_id", f"t{rank}") + b"\x11" + remote_write.double(0.25) +
                b"\x18" + remote_write.varint(now_s * 1000))
    return remote_write.length_delimited(
        1, remote_write.label("__name__", "steps_total") + remote_write.label("rank", str(rank)) +
        remote_write.sample(now_s * 1000, 17.0) + remote_write.length_delimited(3, exemplar))


class SideDataTest(unittest.TestCase):
    def test_outlives_a_stop(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-side-data-")
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        now = int(time.time())
        text = path / "text.om"
        text.write_text(TEXT.format(now=now))
        told = []
        # Twice: restored data are saved again.
        for life in range(3):
            server = Server.ready(path)
            self.addCleanup(lambda server=server: server.alive and server.kill())
            if life == 0:
                subprocess.run([os.environ["LOCKSTEP_PROGRAM"], "import", "--to", server.url,
                                str(text)], check=True, capture_output=True, timeout=60)
                body = remote_write.snappy(with_exemplar(1, now) + with_exemplar(2, now))
                request = urllib.request.Request(server.url + remote_write.PATH, data=body,
                                                 headers=remote_write.HEADERS)
                urllib.request.urlopen(request, timeout=60).close()
            told.append((programs.ask(server.url, "metadata"),
                         programs.ask(server.url, "query_exemplars", start=now - 60, end=now + 60,
                                      query='{__name__!=""}')))
            self.assertEqual(server.stop(), 0)
        metadata, exemplars = told[0]
        self.assertEqual(metadata["latency_seconds"],
                         [{"type": "histogram", "help": "Of a step.", "unit": "seconds"}])
        self.assertEqual(sorted(one["exemplars"][0]["labels"]["trace_id"] for one in exemplars),
                         ["t1", "t2"])
        self.assertEqual(told, [told[0]] * 3)


if __name__ == "__main__":
    unittest.main()
