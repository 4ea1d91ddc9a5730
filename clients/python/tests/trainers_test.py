"""The callbacks in real trainers: PyTorch Lightning and Hugging Face transformers, on the CPU."""

import importlib.util
import tempfile
import unittest
import warnings

import steps_server
from lockstep import StepLogger

WITHIN_S = 300
FEATURES = 4


def installed(*names):
    return all(importlib.util.find_spec(name) is not None for name in names)


class TrainerTestCase(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        folder = tempfile.TemporaryDirectory(prefix="lockstep-trainer-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.server = steps_server.StepsServer()
        self.server.start()
        self.addCleanup(self.server.close)

    def check_times(self, lines, *phases):
        for line in lines:
            parts = [line[f"{phase}_time_s"] for phase in phases]
            self.assertGreater(min(parts), 0, line)
            self.assertLessEqual(sum(parts), line["step_time_s"], line)


@unittest.skipUnless(installed("torch", "lightning"), "torch and lightning are not installed")
class LightningTest(TrainerTestCase):
    def fit(self, batches, callback, **options):
        import torch
        from lightning.pytorch import LightningModule, Trainer

        class Line(LightningModule):
            def __init__(self):
                super().__init__()
                self.layer = torch.nn.Linear(FEATURES, 1)

            def training_step(self, batch, index):
                loss = self.layer(batch).square().mean()
                self.log("train/loss", loss)
                return loss

            def configure_optimizers(self):
                return torch.optim.SGD(self.parameters(), lr=0.125)

        loader = torch.utils.data.DataLoader(torch.ones(batches * 2, FEATURES), batch_size=2)
        trainer = Trainer(max_epochs=1, accelerator="cpu", devices=1, logger=False, callbacks=[callback],
                          enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
                          default_root_dir=self.folder, log_every_n_steps=1, **options)
        trainer.fit(Line(), loader)

    def callback(self, **options):
        from lockstep.lightning import LockstepCallback
        return LockstepCallback(url=self.server.url, job="fit", spool="", **options)

    def test_every_step_is_there_with_its_phases_and_metrics(self):
        self.fit(6, self.callback())
        lines = self.server.lines
        self.assertEqual([line["step"] for line in lines], [1, 2, 3, 4, 5, 6])
        self.assertEqual({(line["job"], line["rank"], line["learning_rate"]) for line in lines}, {("fit", 0, 0.125)})
        losses = [line["train/loss"] for line in lines]
        self.assertEqual(losses, sorted(losses, reverse=True))
        self.check_times(lines, "data", "forward", "backward", "optimizer")

    def test_accumulated_batches_are_one_step(self):
        self.fit(6, self.callback(), accumulate_grad_batches=3)
        self.assertEqual([line["step"] for line in self.server.lines], [1, 2])
        self.check_times(self.server.lines, "data", "forward", "backward", "optimizer")

    def test_a_logger_of_the_program_stays_open(self):
        from lockstep.lightning import LockstepCallback
        with StepLogger(self.server.url, job="mine", spool="") as logger:
            self.fit(2, LockstepCallback(logger))
            logger.log(3, loss=0.0)
            self.assertTrue(logger.flush(WITHIN_S))
        self.assertEqual([line["step"] for line in self.server.lines], [1, 2, 3])

    def test_training_goes_on_without_a_server(self):
        self.server.stop()
        with self.assertLogs("lockstep", "WARNING"):
            self.fit(3, self.callback())


@unittest.skipUnless(installed("torch", "transformers", "accelerate"),
                     "torch, transformers and accelerate are not installed")
class HuggingFaceTest(TrainerTestCase):
    def train(self, callback, **options):
        import torch
        from transformers import Trainer, TrainingArguments

        class Line(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = torch.nn.Linear(FEATURES, 1)

            def forward(self, inputs):
                return {"loss": self.layer(inputs).square().mean()}

        arguments = TrainingArguments(self.folder, per_device_train_batch_size=2, num_train_epochs=1,
                                      logging_steps=2, save_strategy="no", report_to=[], use_cpu=True,
                                      disable_tqdm=True, remove_unused_columns=False, **options)
        rows = [{"inputs": torch.ones(FEATURES)} for _ in range(12)]
        Trainer(Line(), arguments, train_dataset=rows, callbacks=[callback]).train()

    def callback(self):
        from lockstep.huggingface import LockstepCallback
        return LockstepCallback(url=self.server.url, job="tune", rank=0, spool="")

    def test_every_step_has_its_times_and_what_the_trainer_logs(self):
        self.train(self.callback())
        timed = [line for line in self.server.lines if "step_time_s" in line]
        self.assertEqual([line["step"] for line in timed], [1, 2, 3, 4, 5, 6])
        self.check_times(timed, "data", "forward_backward", "optimizer")
        logged = {line["step"]: line for line in self.server.lines if "loss" in line}
        self.assertEqual(sorted(logged), [2, 4, 6])
        self.assertTrue(all(line["grad_norm"] > 0 for line in logged.values()))

    def test_accumulated_batches_are_one_step(self):
        self.train(self.callback(), gradient_accumulation_steps=3)
        self.assertEqual([line["step"] for line in self.server.lines if "step_time_s" in line], [1, 2])


@unittest.skipUnless(installed("torch"), "torch is not installed")
class TensorTest(TrainerTestCase):
    def test_tensors_are_read_when_they_are_logged(self):
        import torch
        with StepLogger(self.server.url, job="mine", spool="", interval_s=3600) as logger:
            loss = torch.tensor(0.5, requires_grad=True)
            logger.log(1, loss=loss, count=torch.tensor([3]), pair=torch.ones(2))
            loss.data.fill_(9)
            self.assertTrue(logger.flush(WITHIN_S))
        self.assertEqual({name: self.server.lines[0].get(name) for name in ("loss", "count", "pair")},
                         {"loss": 0.5, "count": 3, "pair": None})
        self.assertEqual(logger.counts.values_dropped, 1)


if __name__ == "__main__":
    unittest.main()
