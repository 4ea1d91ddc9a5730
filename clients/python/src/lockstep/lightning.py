"""A callback for PyTorch Lightning: logs every optimizer step with its phases and what the module logs.

    trainer = Trainer(callbacks=[LockstepCallback(url="http://lockstep.example:9009", job="pretrain-7")])
"""

from __future__ import annotations

from typing import Any, Dict, Optional

try:
    from lightning.pytorch import Callback
except ImportError:
    from pytorch_lightning import Callback

from lockstep.clocks import Clock
from lockstep.phase_timer import PhaseTimer
from lockstep.step_logger import StepLogger


class LockstepCallback(Callback):  # type: ignore[misc]
    """Logs each optimizer step: data_time_s, forward_time_s, backward_time_s, optimizer_time_s and
    step_time_s, the metrics that the module logs per step, and the first optimizer's learning rate.

    With gradient accumulation, the times of a step include all its batches. `logger` may be the
    program's own, which stays open; otherwise one is created with `options`, those of StepLogger, and
    the trainer's rank, and closed when fitting ends.
    """

    def __init__(self, logger: Optional[StepLogger] = None, clock: Optional[Clock[Any]] = None,
                 **options: Any) -> None:
        super().__init__()
        self._given = logger
        self._options = options
        self._clock = clock
        self._logger: Optional[StepLogger] = None
        self._timer: Optional[PhaseTimer] = None
        self._last_step = 0

    def on_train_start(self, trainer: Any, module: Any) -> None:
        self._logger = self._given or StepLogger(**{"rank": trainer.global_rank, **self._options})
        self._timer = PhaseTimer(self._logger, self._clock)
        self._last_step = trainer.global_step
        self._timer.start()
        self._timer.begin("data")

    def on_train_batch_start(self, trainer: Any, module: Any, batch: Any, batch_idx: int) -> None:
        self._end("data")
        self._begin("forward")

    def on_before_backward(self, trainer: Any, module: Any, loss: Any) -> None:
        self._end("forward")
        self._begin("backward")

    def on_after_backward(self, trainer: Any, module: Any) -> None:
        self._end("backward")

    def on_before_optimizer_step(self, trainer: Any, module: Any, optimizer: Any) -> None:
        self._begin("optimizer")

    def on_train_batch_end(self, trainer: Any, module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        self._end("optimizer")
        if self._timer is not None and trainer.global_step != self._last_step:
            self._last_step = trainer.global_step
            self._timer.end_step(trainer.global_step, **self._values(trainer, outputs))
        self._begin("data")

    def on_train_end(self, trainer: Any, module: Any) -> None:
        if self._timer is not None:
            self._timer.finish()
        self._close()

    def on_exception(self, trainer: Any, module: Any, exception: BaseException) -> None:
        """Does not wait for unfinished GPU work."""
        self._close()

    def _begin(self, name: str) -> None:
        if self._timer is not None:
            self._timer.begin(name)

    def _end(self, name: str) -> None:
        if self._timer is not None:
            self._timer.end(name)

    def _values(self, trainer: Any, outputs: Any) -> Dict[str, Any]:
        values: Dict[str, Any] = {"epoch": trainer.current_epoch, **trainer.logged_metrics}
        if isinstance(outputs, dict) and "loss" in outputs:
            values.setdefault("loss", outputs["loss"])
        if trainer.optimizers:
            values.setdefault("learning_rate", trainer.optimizers[0].param_groups[0]["lr"])
        values.pop("step", None)
        return values

    def _close(self) -> None:
        if self._logger is not None and self._given is None:
            self._logger.close()
        self._logger = self._timer = None
