"""The GPU that a process trains on, with a fake torch."""

import os
import sys
import types
import unittest
import unittest.mock

from lockstep.own_gpu import OwnGpu, own_gpu

PROPERTIES = types.SimpleNamespace(name="NVIDIA H200", uuid="dfeb9fa9-30e9")


class OwnGpuTest(unittest.TestCase):
    def check(self, expected, index=1, visible=None, initialized=True, properties=PROPERTIES):
        cuda = types.SimpleNamespace(is_initialized=lambda: initialized, current_device=lambda: index,
                                     get_device_properties=lambda _: properties)
        with unittest.mock.patch.dict(sys.modules, {"torch": types.SimpleNamespace(cuda=cuda)}), \
                unittest.mock.patch.dict(os.environ):
            os.environ.pop("CUDA_VISIBLE_DEVICES", None)
            if visible is not None:
                os.environ["CUDA_VISIBLE_DEVICES"] = visible
            self.assertEqual(own_gpu(), expected)

    def test_the_index_is_the_hosts(self):
        uuid = "GPU-dfeb9fa9-30e9"
        self.check(OwnGpu("1", uuid, "NVIDIA H200"))
        self.check(OwnGpu("6", uuid, "NVIDIA H200"), visible="4, 6")
        self.check(OwnGpu("", uuid, "NVIDIA H200"), visible="GPU-abc,GPU-dfe")
        self.check(OwnGpu("", uuid, "NVIDIA H200"), visible="4")

    def test_what_torch_does_not_tell(self):
        self.check(OwnGpu("1", "", "old"), properties=types.SimpleNamespace(name="old"))
        self.check(None, initialized=False)
        self.check(None, properties=None)


if __name__ == "__main__":
    unittest.main()
