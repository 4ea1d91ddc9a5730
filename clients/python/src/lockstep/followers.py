"""Also stores on lockstep what a script logs to Weights & Biases or TensorBoard.

    import lockstep.followers
    lockstep.followers.follow_wandb(job="pretrain-7")         # one line, anywhere before training
    lockstep.followers.follow_tensorboard(job="pretrain-7")

Nothing changes for W&B or TensorBoard: their own function runs first, with its arguments unchanged, and the caller
gets its result or exception. Faults of the copy are counted on the logger and never raised.
"""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable, Dict, Iterable, Iterator, Mapping, Optional, Tuple

from lockstep.step_logger import StepLogger

# Modules that have a SummaryWriter with add_scalar(tag, value, step, walltime) and add_scalars.
TENSORBOARD_MODULES = ("torch.utils.tensorboard.writer", "tensorboardX.writer")
Call = Callable[..., Any]
Copy = Callable[[StepLogger, Any, Tuple[Any, ...], Dict[str, Any]], None]


def follow_wandb(logger: Optional[StepLogger] = None, **options: Any) -> StepLogger:
    """Logs what every run in this process passes to `wandb.log`, with W&B's own step.

    `logger` may be the program's own; otherwise one is created with `options`, those of StepLogger. Logs numbers,
    including those in nested dictionaries under names joined by "/"; ignores pictures, tables and histograms. Returns
    the logger. Raises ImportError without wandb.
    """
    import wandb

    logger = logger or StepLogger(**options)
    _follow(wandb.sdk.wandb_run.Run, "log", logger, _copy_wandb)
    run = wandb.run
    if run is not None:
        wandb.log = run.log  # A run started earlier keeps the method it found.
    return logger


def follow_tensorboard(logger: Optional[StepLogger] = None, **options: Any) -> StepLogger:
    """Logs what every SummaryWriter in this process gets through `add_scalar` and `add_scalars`.

    Supports torch.utils.tensorboard and tensorboardX, whichever the script has imported; ignores calls without
    `global_step`. Otherwise like `follow_wandb`. Raises ImportError if neither is imported.
    """
    writers = [sys.modules[name].SummaryWriter for name in TENSORBOARD_MODULES if name in sys.modules]
    if not writers:
        raise ImportError("import SummaryWriter from torch.utils.tensorboard or tensorboardX before following it")
    logger = logger or StepLogger(**options)
    for writer in writers:
        _follow(writer, "add_scalar", logger, _copy_scalar)
        _follow(writer, "add_scalars", logger, _copy_scalars)
    return logger


def _follow(owner: Any, name: str, logger: StepLogger, copy: Copy) -> None:
    """Replaces a method by one that also logs to `logger`; a second call replaces the first logger."""
    method: Call = getattr(owner, name)
    method = getattr(method, "lockstep_follows", method)

    @functools.wraps(method)
    def followed(self: Any, *arguments: Any, **keywords: Any) -> Any:
        step = _step_of(self)
        result = method(self, *arguments, **keywords)
        try:
            copy(logger, step, arguments, keywords)
        except Exception as error:
            logger.fault(error)
        return result

    followed.lockstep_follows = method  # type: ignore[attr-defined]
    setattr(owner, name, followed)


def _step_of(owner: Any) -> Any:
    """The step that W&B would assign to values logged without one, before the call."""
    return getattr(owner, "step", None)


def _copy_wandb(logger: StepLogger, step: Any, arguments: Tuple[Any, ...], keywords: Dict[str, Any]) -> None:
    data = _argument(arguments, keywords, 0, "data") or {}
    given = _argument(arguments, keywords, 1, "step")
    logger.log(given if given is not None else step, **dict(_numbers(data)))


def _copy_scalar(logger: StepLogger, _: Any, arguments: Tuple[Any, ...], keywords: Dict[str, Any]) -> None:
    tag = _argument(arguments, keywords, 0, "tag")
    value = _argument(arguments, keywords, 1, "scalar_value")
    _log_scalars(logger, {tag: value}, arguments, keywords)


def _copy_scalars(logger: StepLogger, _: Any, arguments: Tuple[Any, ...], keywords: Dict[str, Any]) -> None:
    main_tag = _argument(arguments, keywords, 0, "main_tag")
    scalars = _argument(arguments, keywords, 1, "tag_scalar_dict") or {}
    _log_scalars(logger, {f"{main_tag}/{tag}": value for tag, value in scalars.items()}, arguments, keywords)


def _log_scalars(logger: StepLogger, scalars: Mapping[str, Any], arguments: Tuple[Any, ...],
                 keywords: Dict[str, Any]) -> None:
    step = _argument(arguments, keywords, 2, "global_step")
    walltime = _argument(arguments, keywords, 3, "walltime")
    if step is None:
        return
    values = dict(scalars)
    if walltime is not None:
        values["time"] = float(walltime)
    logger.log(int(step), **values)


def _argument(arguments: Tuple[Any, ...], keywords: Mapping[str, Any], place: int, name: str) -> Any:
    return arguments[place] if len(arguments) > place else keywords.get(name)


def _numbers(data: Mapping[str, Any], above: Iterable[str] = ()) -> Iterator[Tuple[str, Any]]:
    for name, value in data.items():
        path = (*above, str(name))
        if isinstance(value, Mapping):
            yield from _numbers(value, path)
        elif _is_number(value):
            yield "/".join(path), value


def _is_number(value: Any) -> bool:
    """Whether it is a number, or an array or tensor of one element."""
    if isinstance(value, (int, float)) or getattr(value, "size", None) == 1:
        return True
    count = getattr(value, "numel", None)
    return callable(count) and bool(count() == 1)
