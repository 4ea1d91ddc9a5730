"""A query with its parameters."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Query:
    """An instant query if `start` is None. Times are in the API's format."""

    tree: object
    end: str
    start: str = None
    step: str = None

    @property
    def text(self):
        return str(self.tree)

    @property
    def path(self):
        return "query" if self.start is None else "query_range"

    @property
    def parameters(self):
        if self.start is None:
            return {"query": self.text, "time": self.end}
        return {"query": self.text, "start": self.start, "end": self.end, "step": self.step}


def in_seconds(time_ms):
    return f"{time_ms // 1000}" if time_ms % 1000 == 0 else f"{time_ms / 1000:.3f}"
