"""Tables for notebooks."""

from __future__ import annotations

import datetime
import html
from typing import Any, Iterable, List, Sequence

MAX_ROWS = 50


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """The rows as an HTML table, the first MAX_ROWS of them; everything is escaped."""
    cells = [list(row) for row in rows]
    lines: List[str] = ["<table>"]
    if caption:
        lines.append(f"<caption>{html.escape(caption)}</caption>")
    lines.append("<thead><tr>" + "".join(f"<th>{html.escape(name)}</th>" for name in columns) +
                 "</tr></thead><tbody>")
    for row in cells[:MAX_ROWS]:
        lines.append("<tr>" + "".join(f"<td>{html.escape(text_of(cell))}</td>" for cell in row) + "</tr>")
    lines.append("</tbody></table>")
    if len(cells) > MAX_ROWS:
        lines.append(f"<p>and {len(cells) - MAX_ROWS} more</p>")
    return "".join(lines)


def text_of(cell: Any) -> str:
    """A readable cell: numbers with six digits, nothing for None, lists line by line."""
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:.6g}"
    if isinstance(cell, (list, tuple)):
        return "; ".join(map(text_of, cell))
    if isinstance(cell, dict):
        return ", ".join(f"{name}={text_of(value)}" for name, value in cell.items())
    return str(cell)


def clock(time_s: float) -> str:
    """Unix seconds as readable UTC."""
    moment = datetime.datetime.fromtimestamp(time_s, datetime.timezone.utc)
    return f"{moment:%Y-%m-%d %H:%M:%S}"
