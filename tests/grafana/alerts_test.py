"""Each alert of grafana/alerts.py fires exactly where it should, on recorded jobs or on a planted
fault.

LOCKSTEP_PROGRAM names the server.
"""

import sys
import unittest

from dashboards import FOLDER, put_in
from recordings import Recordings, write
from programs import ask

sys.path.insert(0, str(FOLDER))
from alerts import ALERTS

# A quarter of an hour after the recordings.
PLANTED_S = 1795244400
GPU = {"job": "planted", "gpu": "0", "UUID": "GPU-0", "Hostname": "node-9"}
SELF = {"job": "lockstep", "instance": "lockstep:9009"}
# Name, labels, value before the fault and after.
PLANTED = (
    ("DCGM_FI_DEV_GPU_TEMP", GPU, 60, 86),
    ("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", GPU, 0, 2),
    ("DCGM_FI_DEV_XID_ERRORS", GPU, 0, 79),
    ("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", GPU, 4, 64 + 4),
    ("DCGM_FI_DEV_FB_USED", GPU, 1000, 78000),
    ("DCGM_FI_DEV_FB_FREE", GPU, 79000, 2000),
    ("DCGM_FI_DEV_POWER_USAGE", GPU, 650, 200),
    ("lockstep_ingest_rejected_samples_total", {**SELF, "reason": "series_limit"}, 0, 500),
    ("lockstep_storage_failed_writes_total", SELF, 0, 3),
)
FAULT_S = 120
STEPS_END_S = 100
# Where each alert fires: (time, {labels to check}).
FIRES = {
    "GPU is hot": (PLANTED_S + FAULT_S, {"gpu": "0"}),
    "Uncorrected ECC error": (PLANTED_S + FAULT_S, {"gpu": "0"}),
    "XID": (PLANTED_S + FAULT_S, {"gpu": "0"}),
    "Clocks are throttled": (PLANTED_S + FAULT_S, {"gpu": "0"}),
    "Device memory is nearly full": (PLANTED_S + FAULT_S, {"gpu": "0"}),
    "No progress": (PLANTED_S + STEPS_END_S + 45, {"job": "planted"}),
    "lockstep rejects samples": (PLANTED_S + FAULT_S + 60, {"reason": "series_limit"}),
    "lockstep cannot write": (PLANTED_S + FAULT_S + 60, {"instance": "lockstep:9009"}),
    "A rank holds its job back": (1795242232, {"job": "straggler-loader", "rank": "1"}),
    "Steps wait for communication": (1795242400, {"job": "comm-bound"}),
    "Tensor cores are idle": (1795242259, {"job": "memory-bound-stream"}),
    "Memory-bound": (1795242259, {"job": "memory-bound-stream"}),
    "Fake load": (1795242376, {"job": "fake-load"}),
}
# While the healthy job runs, the first one of the recording.
HEALTHY_S = 1795242089


def planted():
    series = {}
    for name, labels, before, after in PLANTED:
        series[(("__name__", name), *labels.items())] = [
            ((PLANTED_S + second) * 1000, after if second >= FAULT_S else before) for second in range(0, 300, 5)]
    series[(("__name__", "train_step_time_seconds"), ("job", "planted"), ("rank", "0"))] = [
        ((PLANTED_S + second) * 1000, 1) for second in range(0, STEPS_END_S)]
    return series


class AlertsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Recordings(cls).lockstep
        write(cls.server.address, planted())

    def fires(self, alert, time_s):
        return [row["metric"] for row in ask(self.server.url, "query", query=alert.expression, time=time_s)["result"]]

    def test_every_alert_has_its_fault(self):
        self.assertEqual({alert.name for alert in ALERTS}, set(FIRES))

    def test_a_fault_is_told(self):
        for alert in ALERTS:
            time_s, labels = FIRES[alert.name]
            with self.subTest(alert=alert.name):
                fired = self.fires(alert, time_s)
                self.assertTrue(any(labels.items() <= one.items() for one in fired), fired)

    def test_a_healthy_job_is_left_alone(self):
        for alert in ALERTS:
            with self.subTest(alert=alert.name):
                self.assertEqual(self.fires(alert, HEALTHY_S), [])

    def test_before_the_fault_it_is_silent(self):
        for alert in ALERTS:
            if FIRES[alert.name][0] >= PLANTED_S:
                with self.subTest(alert=alert.name):
                    self.assertEqual(self.fires(alert, PLANTED_S + STEPS_END_S - 5), [])

    def test_summaries_name_labels_that_the_alert_has(self):
        for alert in ALERTS:
            with self.subTest(alert=alert.name):
                named = [part.split("}}")[0].strip() for part in alert.summary.split("$labels.")[1:]]
                fired = self.fires(alert, FIRES[alert.name][0])
                for name in named:
                    self.assertIn(name, fired[0])
        self.assertRaises(KeyError, put_in, "$unknown", {})


if __name__ == "__main__":
    unittest.main()
