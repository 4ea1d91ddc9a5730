"""Values are captured when logged, and a GPU's values are read once it has computed them.

The GPU is a fake torch: a stream that does its work when something waits for an event on it.
"""

import json
import sys
import types
import unittest
import unittest.mock

from lockstep import step_lines
from lockstep.identity import Identity
from lockstep.step_lines import StepRecord


class Stream:
    """Queued work that is not done."""

    def __init__(self):
        self.queued = []

    def do(self):
        while self.queued:
            self.queued.pop(0)()


class Event:
    def record(self, stream):
        self._stream = stream

    def synchronize(self):
        self._stream.do()


class GpuTensor:
    """A tensor on a GPU; reading it returns its current memory, finished or not."""

    is_cuda = True
    device = types.SimpleNamespace(type="cuda")

    def __init__(self, stream, value, elements=1):
        self._stream, self.value, self._elements = stream, value, elements

    def numel(self):
        return self._elements

    def detach(self):
        return self

    def clone(self):
        copy = GpuTensor(self._stream, -1.0)
        self._stream.queued.append(lambda value=self.value: setattr(copy, "value", value))
        return copy

    def item(self):
        return self.value


class StepLinesTest(unittest.TestCase):
    def setUp(self):
        self.stream = Stream()
        cuda = types.SimpleNamespace(Event=Event, current_stream=lambda device: self.stream)
        patched = unittest.mock.patch.dict(sys.modules, {"torch": types.SimpleNamespace(cuda=cuda)})
        patched.start()
        self.addCleanup(patched.stop)

    def line(self, shared=None, step=1, time_s=2.5, **values):
        held = {name: step_lines.hold(value) for name, value in values.items()}
        return json.loads(step_lines.encode(shared or {}, StepRecord(step, time_s, held)))

    def test_fields(self):
        for shared, expected in (
                (Identity("j", "r", 3, 1, 0, 8, "h"), {"job": "j", "run": "r", "rank": 3, "attempt": 1}),
                (Identity("j", "", 0, None, 0, 1, "h"), {"job": "j", "rank": 0})):
            self.assertEqual(self.line(step_lines.identity_fields(shared)), {**expected, "step": 1, "time": 2.5})

    def test_values(self):
        class Scalar:  # Like numpy's.
            def item(self):
                return 7
        for value, expected in ((1, 1), (0.1, 0.1), (True, 1), ("text", "text"), (Scalar(), 7),
                                (float("nan"), "NaN"), (float("-inf"), "-Infinity"), (10**20, 10**20)):
            self.assertEqual(self.line(x=value)["x"], expected)
        self.assertNotIn("x", self.line(x=None))

    def test_what_is_no_number_is_refused_when_it_is_logged(self):
        for value in (object(), [1.0], {}, GpuTensor(self.stream, 0.0, elements=2)):
            self.assertRaises((TypeError, ValueError), step_lines.hold, value)

    def test_a_gpu_value_is_the_one_of_its_time_and_read_when_it_is_there(self):
        loss = GpuTensor(self.stream, 0.5)
        held = step_lines.hold(loss)
        loss.value = 9.0
        self.assertEqual(len(self.stream.queued), 1)
        line = json.loads(step_lines.encode({}, StepRecord(1, 0.0, {"loss": held})))
        self.assertEqual(line["loss"], 0.5)


if __name__ == "__main__":
    unittest.main()
