"""Annotations as the server returns them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional

from lockstep.training_html import rows_of, titled
from lockstep.told import field, many


@dataclass
class Annotation:
    """A note about a moment or an interval. Times are Unix seconds; `end` is None if it has not ended."""

    id: str = ""
    job: str = ""
    kind: str = ""
    text: str = ""
    start: float = 0.0
    end: Optional[float] = None
    is_open: bool = False
    first_step: Optional[int] = None
    last_step: Optional[int] = None
    tags: List[str] = field(default=list)
    labels: Dict[str, str] = field(default=dict)
    unknown: Dict[str, Any] = field(default=dict)


@dataclass
class Annotations:
    """Annotations by start. Iterates over them."""

    annotations: List[Annotation] = many(Annotation)
    warnings: List[str] = field(default=list)
    unknown: Dict[str, Any] = field(default=dict)

    def __iter__(self) -> Iterator[Annotation]:
        return iter(self.annotations)

    def __len__(self) -> int:
        return len(self.annotations)

    def _repr_html_(self) -> str:
        return titled(f"{len(self.annotations)} annotations",
                      rows_of(self.annotations, "kind", "text", "job", "start", "end", "first_step", "last_step", "tags"))
