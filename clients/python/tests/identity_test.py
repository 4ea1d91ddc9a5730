"""The identity of a process from launchers' environments."""

import socket
import sys
import types
import unittest
import unittest.mock

from lockstep import identity
from lockstep.identity import Identity


class IdentityTest(unittest.TestCase):
    def check(self, environment, job="train", run="", rank=0, attempt=None, local_rank=0, world_size=1,
              host=None):
        expected = Identity(job, run, rank, attempt, local_rank, world_size, host or socket.gethostname())
        self.assertEqual(identity.find(environment), expected)

    def test_launchers(self):
        self.check({})
        self.check({"RANK": "11", "LOCAL_RANK": "3", "WORLD_SIZE": "16", "TORCHELASTIC_RUN_ID": "llama-7",
                    "TORCHELASTIC_RESTART_COUNT": "2"},
                   job="llama-7", run="llama-7", rank=11, attempt=2, local_rank=3, world_size=16)
        self.check({"RANK": "1", "WORLD_SIZE": "2", "TORCHELASTIC_RUN_ID": "none",
                    "TORCHELASTIC_RESTART_COUNT": "0"}, rank=1, attempt=0, world_size=2)
        self.check({"SLURM_JOB_NAME": "pretrain", "SLURM_JOB_ID": "4711", "SLURM_PROCID": "9",
                    "SLURM_LOCALID": "1", "SLURM_NTASKS": "16", "SLURMD_NODENAME": "node1"},
                   job="pretrain", run="4711", rank=9, local_rank=1, world_size=16, host="node1")
        self.check({"OMPI_COMM_WORLD_RANK": "5", "OMPI_COMM_WORLD_LOCAL_RANK": "1",
                    "OMPI_COMM_WORLD_SIZE": "8"}, rank=5, local_rank=1, world_size=8)

    def test_torchrun_inside_slurm_knows_the_rank_better(self):
        self.check({"SLURM_JOB_NAME": "pretrain", "SLURM_JOB_ID": "4711", "SLURM_PROCID": "1",
                    "SLURM_NTASKS": "2", "RANK": "12", "LOCAL_RANK": "4", "WORLD_SIZE": "16"},
                   job="pretrain", run="4711", rank=12, local_rank=4, world_size=16)

    def test_attempts_of_slurm_and_torchrun_do_not_repeat(self):
        for slurm, elastic, expected in ((None, None, None), ("0", None, 0), ("2", None, 200),
                                         ("0", "3", 3), ("1", "0", 100), ("1", "3", 103)):
            told = {"SLURM_RESTART_COUNT": slurm, "TORCHELASTIC_RESTART_COUNT": elastic}
            self.check({name: text for name, text in told.items() if text is not None}, attempt=expected)

    def test_pods_are_named_after_their_job(self):
        for pod, job in (("llama-worker-3", "llama"), ("llama-master-0", "llama"), ("llama-12", "llama"),
                         ("llama-3-x7k2p", "llama"), ("llama", "llama"), ("gpt-4-worker-0", "gpt-4")):
            self.check({"POD_NAME": pod, "NODE_NAME": "gke-1"}, job=job, host="gke-1")

    def test_the_user_has_the_last_word(self):
        self.check({"LOCKSTEP_JOB": "mine", "LOCKSTEP_RUN": "r1", "LOCKSTEP_RANK": "2",
                    "LOCKSTEP_ATTEMPT": "5", "SLURM_JOB_NAME": "x", "SLURM_JOB_ID": "1", "RANK": "0",
                    "TORCHELASTIC_RESTART_COUNT": "0"}, job="mine", run="r1", rank=2, attempt=5)

    def test_torch_knows_better_than_its_launcher(self):
        distributed = types.SimpleNamespace(is_available=lambda: True, is_initialized=lambda: True,
                                            get_rank=lambda: 6, get_world_size=lambda: 8)
        with unittest.mock.patch.dict(sys.modules, {"torch.distributed": distributed}):
            self.check({"RANK": "1"}, rank=6, world_size=8)
            self.check({"RANK": "1", "LOCKSTEP_RANK": "2"}, rank=2, world_size=8)
            distributed.is_initialized = lambda: False
            self.check({"RANK": "1"}, rank=1)
            del distributed.is_available
            self.check({"RANK": "1"}, rank=1)

    def test_numbers_that_are_none_are_ignored(self):
        self.check({"RANK": "", "LOCAL_RANK": "x", "WORLD_SIZE": "-1"})


if __name__ == "__main__":
    unittest.main()
