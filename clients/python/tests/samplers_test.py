"""The agent's samplers, with kernel files and a library of known content."""

import pathlib
import tempfile
import textwrap
import unittest

import fake_gpus
from lockstep.agent.gpus import COSTLY_EVERY_SAMPLES, GpuSampler
from lockstep.agent.host import HostSampler
from lockstep.agent.infiniband import InfinibandSampler
from lockstep.agent.nvml import Nvml, NvmlError

PROC = {
    "proc/stat": """\
        cpu  1000 20 300 4000 50 6 7 8 0 0
        cpu0 500 10 150 2000 25 3 3 4 0 0
        intr 1 2 3
        """,
    "proc/loadavg": "1.25 0.50 0.25 2/345 6789\n",
    "proc/meminfo": """\
        MemTotal:       1000 kB
        MemFree:         200 kB
        MemAvailable:    600 kB
        Hugepagesize:   2048 kB
        """,
    "proc/pressure/cpu": "some avg10=0.00 avg60=0.00 avg300=0.00 total=1500000\n",
    "proc/pressure/io": """\
        some avg10=0.00 avg60=0.00 avg300=0.00 total=2000000
        full avg10=0.00 avg60=0.00 avg300=0.00 total=1000000
        """,
    "proc/diskstats": """\
         259       0 nvme0n1 100 1 2000 30 40 2 800 60 0 5000 90
         259       1 nvme0n1p1 100 1 2000 30 40 2 800 60 0 5000 90
           7       0 loop0 1 0 8 0 0 0 0 0 0 0 0
        """,
    "proc/net/dev": """\
        Inter-|   Receive                                                |  Transmit
         face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
            lo:     999       9    0    0    0     0          0         0      999       9    0    0    0     0       0          0
          eth0:    1000      10    1    2    0     0          0         0     3000      30    3    4    0     0       0          0
        veth12:     999       9    0    0    0     0          0         0      999       9    0    0    0     0       0          0
        """,
}
PORT = "sys/class/infiniband/mlx5_0/ports/1/counters"


class SamplerTestCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-agent-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, files):
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))

    def check(self, sampler, expected):
        """All samples, by name and label values."""
        found = {(sample.name, *(value for _, value in sample.labels)): sample.value for sample in sampler.sample()}
        self.assertEqual(found, expected)


class HostTest(SamplerTestCase):
    def test_kernel_files(self):
        self.write(PROC)
        self.check(HostSampler(self.root), {
            **{("node_cpu_seconds_total", "all", mode): ticks / 100 for mode, ticks in (
                ("user", 1000), ("nice", 20), ("system", 300), ("idle", 4000), ("iowait", 50), ("irq", 6),
                ("softirq", 7), ("steal", 8))},
            ("node_load1",): 1.25, ("node_load5",): 0.5, ("node_load15",): 0.25,
            ("node_memory_MemTotal_bytes",): 1024000, ("node_memory_MemFree_bytes",): 204800,
            ("node_memory_MemAvailable_bytes",): 614400,
            ("node_pressure_cpu_waiting_seconds_total",): 1.5,
            ("node_pressure_io_waiting_seconds_total",): 2, ("node_pressure_io_stalled_seconds_total",): 1,
            ("node_disk_reads_completed_total", "nvme0n1"): 100,
            ("node_disk_read_bytes_total", "nvme0n1"): 2000 * 512,
            ("node_disk_writes_completed_total", "nvme0n1"): 40,
            ("node_disk_written_bytes_total", "nvme0n1"): 800 * 512,
            ("node_disk_io_time_seconds_total", "nvme0n1"): 5,
            **{(f"node_network_{name}_total", "eth0"): value for name, value in (
                ("receive_bytes", 1000), ("receive_packets", 10), ("receive_errs", 1), ("receive_drop", 2),
                ("transmit_bytes", 3000), ("transmit_packets", 30), ("transmit_errs", 3), ("transmit_drop", 4))},
        })

    def test_files_are_read_anew_and_may_be_missing(self):
        sampler = HostSampler(self.root)
        self.check(sampler, {})
        for load in ("1.00 2.00 3.00 1/1 1", "4.00 5.00 6.00 1/1 1"):
            self.write({"proc/loadavg": load})
            expected = map(float, load.split()[:3])
            self.check(sampler, dict(zip((("node_load1",), ("node_load5",), ("node_load15",)), expected)))

    def test_this_machine(self):
        names = {sample.name for sample in HostSampler().sample()}
        self.assertLessEqual({"node_cpu_seconds_total", "node_load1", "node_memory_MemTotal_bytes"}, names)


class InfinibandTest(SamplerTestCase):
    def test_ports(self):
        self.write({f"{PORT}/port_rcv_data": "100\n", f"{PORT}/port_xmit_data": "200\n",
                    f"{PORT}/link_downed": "1\n", f"{PORT}/symbol_error": "N/A (no PMA)\n",
                    f"{PORT}/unknown": "5\n"})
        self.check(InfinibandSampler(self.root), {
            ("node_infiniband_port_data_received_bytes_total", "mlx5_0", "1"): 400,
            ("node_infiniband_port_data_transmitted_bytes_total", "mlx5_0", "1"): 800,
            ("node_infiniband_link_downed_total", "mlx5_0", "1"): 1})

    def test_no_adapter(self):
        self.check(InfinibandSampler(self.root), {})


class GpuTest(SamplerTestCase):
    def setUp(self):
        super().setUp()
        self.sampler = GpuSampler(Nvml(fake_gpus.build(self.root)), "node7")

    def values(self, gpu):
        return {sample.name: sample.value for sample in self.sampler.sample() if dict(sample.labels)["gpu"] == gpu}

    def all_values(self, gpu):
        """Includes what is sampled only occasionally."""
        return {name: value for _ in range(COSTLY_EVERY_SAMPLES) for name, value in self.values(gpu).items()}

    def test_labels_are_those_of_dcgm_exporter(self):
        labels = {sample.labels for sample in self.sampler.sample()}
        self.assertEqual([dict(pairs) for pairs in sorted(labels)], [
            {"Hostname": "node7", "UUID": "GPU-00000000", "device": "nvidia0", "gpu": "0",
             "modelName": "NVIDIA H200", "pci_bus_id": "00000000:18:00.0"},
            {"Hostname": "node7", "UUID": "GPU-11111111", "device": "nvidia1", "gpu": "1",
             "modelName": "NVIDIA A100-SXM4-80GB", "pci_bus_id": "00000000:2A:00.0"}])

    def test_counters_have_dcgms_units(self):
        values = self.values("0")
        energy = values.pop("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION")
        self.assertGreater(self.all_values("0")["DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"], energy)
        self.assertEqual(values, {
            "DCGM_FI_DEV_SM_CLOCK": 1755, "DCGM_FI_DEV_MEM_CLOCK": 3201, "DCGM_FI_DEV_GPU_TEMP": 55,
            "DCGM_FI_DEV_MEMORY_TEMP": 71, "DCGM_FI_DEV_POWER_USAGE": 683.25,
            "DCGM_FI_DEV_ENFORCED_POWER_LIMIT": 700, "DCGM_FI_DEV_PSTATE": 0,
            "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": 4, "DCGM_FI_DEV_POWER_VIOLATION": 5000,
            "DCGM_FI_DEV_THERMAL_VIOLATION": 6000, "DCGM_FI_DEV_PCIE_REPLAY_COUNTER": 7,
            "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": 3, "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": 1,
            "DCGM_FI_DEV_GPU_UTIL": 97, "DCGM_FI_DEV_MEM_COPY_UTIL": 31, "DCGM_FI_DEV_FB_TOTAL": 1000,
            "DCGM_FI_DEV_FB_USED": 300, "DCGM_FI_DEV_FB_FREE": 690, "DCGM_FI_DEV_FB_RESERVED": 10,
            "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": 2, "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": 1,
            "DCGM_FI_DEV_ROW_REMAP_FAILURE": 0})

    def test_costly_counters_are_read_in_turns(self):
        for sample in range(2 * COSTLY_EVERY_SAMPLES):
            told = {dict(sample.labels)["gpu"] for sample in self.sampler.sample()
                    if sample.name == "DCGM_FI_DEV_PCIE_REPLAY_COUNTER"}
            self.assertEqual(told, {0: {"0"}, 1: {"1"}}.get(sample % COSTLY_EVERY_SAMPLES, set()), sample)

    def test_profiling_counters_are_averages_between_two_samples(self):
        self.values("0")
        for _ in range(3):
            profiling = {name: round(value, 9) for name, value in self.values("0").items() if "_PROF_" in name}
            self.assertEqual(profiling, {
                "DCGM_FI_PROF_GR_ENGINE_ACTIVE": 0.01, "DCGM_FI_PROF_SM_ACTIVE": 0.02,
                "DCGM_FI_PROF_SM_OCCUPANCY": 0.03, "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": 0.05,
                "DCGM_FI_PROF_DRAM_ACTIVE": 0.1, "DCGM_FI_PROF_PIPE_FP64_ACTIVE": 0.11,
                "DCGM_FI_PROF_PIPE_FP32_ACTIVE": 0.12, "DCGM_FI_PROF_PCIE_TX_BYTES": 20 << 20,
                "DCGM_FI_PROF_PCIE_RX_BYTES": 21 << 20, "DCGM_FI_PROF_NVLINK_RX_BYTES": 60 << 20,
                "DCGM_FI_PROF_NVLINK_TX_BYTES": 61 << 20})

    def test_a_gpu_tells_what_it_has(self):
        lacking = self.all_values("0").keys() - self.all_values("1").keys()
        self.assertEqual({name for name in lacking if "_PROF_" not in name},
                         {"DCGM_FI_DEV_MEMORY_TEMP", "DCGM_FI_DEV_POWER_VIOLATION", "DCGM_FI_DEV_THERMAL_VIOLATION"})
        self.assertEqual(self.values("1")["DCGM_FI_DEV_GPU_TEMP"], 56)

    def test_no_library(self):
        self.assertRaises(NvmlError, Nvml, str(self.root / "missing.so"))


if __name__ == "__main__":
    unittest.main()
