"""A callback for Hugging Face transformers' Trainer: logs every step's times, and what the trainer logs.

    trainer = Trainer(..., callbacks=[LockstepCallback(url="http://lockstep.example:9009", job="tune-3")])
"""

from __future__ import annotations

from typing import Any, Dict, Optional

from transformers import TrainerCallback

from lockstep.clocks import Clock
from lockstep.phase_timer import PhaseTimer
from lockstep.step_logger import StepLogger


class LockstepCallback(TrainerCallback):  # type: ignore[misc]
    """Logs each optimizer step: data_time_s (until its first batch arrives), forward_backward_time_s,
    optimizer_time_s and step_time_s; and the numbers that the trainer logs.

    The trainer has no callbacks for finer phases, nor between the batches of gradient accumulation.
    `logger` may be the program's own, which stays open; otherwise one is created with `options`, those
    of StepLogger, and closed when training ends.
    """

    def __init__(self, logger: Optional[StepLogger] = None, clock: Optional[Clock[Any]] = None,
                 **options: Any) -> None:
        self._given = logger
        self._options = options
        self._clock = clock
        self._logger: Optional[StepLogger] = None
        self._timer: Optional[PhaseTimer] = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._logger = self._given or StepLogger(**{"rank": args.process_index, **self._options})
        self._timer = PhaseTimer(self._logger, self._clock)
        self._timer.start()
        self._timer.begin("data")

    def on_step_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._switch("data", "forward_backward")

    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._switch("forward_backward", "optimizer")

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if self._timer is not None:
            # Older transformers do not report when the optimizer begins: everything belongs to this
            # phase.
            self._timer.end("forward_backward")
            self._timer.end("optimizer")
            self._timer.end_step(state.global_step)
            self._timer.begin("data")

    def on_log(self, args: Any, state: Any, control: Any, logs: Optional[Dict[str, Any]] = None,
               **kwargs: Any) -> None:
        if self._logger is not None and logs:
            self._logger.log(state.global_step, **{name: value for name, value in logs.items()
                                                   if isinstance(value, (int, float)) and name != "step"})

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if self._timer is not None:
            self._timer.finish()
        if self._logger is not None and self._given is None:
            self._logger.close()
        self._logger = self._timer = None

    def _switch(self, ended: str, begun: str) -> None:
        if self._timer is not None:
            self._timer.end(ended)
            self._timer.begin(begun)
