"""docs/hardware.md: its figures are those of the catalogue, and its queries return what they
should.

LOCKSTEP_PROGRAM names the server.
"""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))
import lockstep_server
import programs

PAGE = (ROOT / "docs/hardware.md").read_text()
TIME_S = 1_795_242_195
ROW = re.compile(r"^\| (\w+)[^|]*\| ([\d.]+|none) \| ([\d.]+|none) \|$", re.M)
QUERY = re.compile(r"^```promql (\w+)\n(.*?)^```$", re.M | re.S)
MODELS = ("h100-sxm5-80gb", "gb200")
# Bytes per second that a port receives, and its speed as node_exporter reports it.
PORTS = {"busy7": (40e9, 50e9), "idle7": (10e9, 50e9), "busy8": (80e9, 100e9)}


class HardwareTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = lockstep_server.Server.of_recordings(cls)
        series = []
        for device, (speed, limit) in PORTS.items():
            labels = {"instance": "n0", "device": device, "port": "1"}
            times = [(TIME_S - 60 + 15 * i, 15 * i) for i in range(5)]
            series.append((labels | {"__name__": "node_infiniband_port_data_received_bytes_total"},
                           [(1000 * time, speed * since) for time, since in times]))
            series.append((labels | {"__name__": "node_infiniband_rate_bytes_per_second"},
                           [(1000 * time, limit) for time, _ in times]))
        connection = cls.server.connect()
        cls.addClassCleanup(connection.close)
        assert connection.write(series).stored

    def ask(self, query):
        return programs.ask(self.server.url, "query", query=query, time=TIME_S)["result"]

    def peaks(self, query, scale):
        rows = {row["metric"]["model"]: float(row["value"][1]) / scale for row in self.ask(query)}
        return [f"{rows[model]:.5g}" if model in rows else "none" for model in MODELS]

    def test_figures_are_the_catalogues(self):
        rows = {name: list(figures) for name, *figures in ROW.findall(PAGE)}
        for dtype in ("fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8", "fp4"):
            self.assertEqual(rows[dtype], self.peaks(f'lockstep_gpu_peak_flops{{dtype="{dtype}"}}', 1e12), dtype)
        self.assertEqual(rows["memory"], self.peaks("lockstep_gpu_memory_bandwidth_bytes_per_second", 1e12))

    def test_the_catalogue_is_as_large_as_the_page_says(self):
        [row] = self.ask("count(count by (model) (lockstep_gpu_peak_flops))")
        self.assertIn(f"has {row['value'][1]} models", PAGE)

    def test_busy_ports_are_found(self):
        found = [[row["metric"]["device"] for row in self.ask(query)]
                 for kind, query in QUERY.findall(PAGE) if kind == "network"]
        self.assertEqual([sorted(devices) for devices in found],
                         [["busy7", "busy8"], ["busy8"], ["busy7", "busy8"]])

    def test_a_peak_is_a_series(self):
        [query] = [query for kind, query in QUERY.findall(PAGE) if kind == "catalogue"]
        self.assertEqual(len(self.ask(query)), 1)


if __name__ == "__main__":
    unittest.main()
