"""Converts API objects to dataclasses: known attributes, and the rest."""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Mapping, Optional, Type, TypeVar

T = TypeVar("T")


def field(key: str = "", of: Optional[type] = None, default: Any = None) -> Any:
    """An attribute with the server's name `key`; with `of`, an object of that class, or a list of them if `default` is list."""
    metadata = {"key": key, "of": of}
    if callable(default):
        return dataclasses.field(default_factory=default, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def many(of: type, key: str = "") -> Any:
    """An attribute that is a list of such objects."""
    return field(key, of, list)


def told(kind: Type[T], fields: Mapping[str, Any]) -> T:
    """Converts an API object to that class; missing values keep their defaults, additional ones go to `unknown`."""
    rest = dict(fields)
    values: Dict[str, Any] = {}
    for attribute in dataclasses.fields(kind):  # type: ignore[arg-type]
        key = attribute.metadata.get("key") or attribute.name
        if attribute.name == "unknown" or key not in rest:
            continue
        values[attribute.name] = inside(rest.pop(key), attribute.metadata.get("of"))
    return kind(**{**values, "unknown": rest})


def inside(value: Any, of: Optional[type]) -> Any:
    if of is None or value is None:
        return value
    return [told(of, one) for one in value] if isinstance(value, list) else told(of, value)
