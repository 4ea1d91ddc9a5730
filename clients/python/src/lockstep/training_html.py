"""HTML output of training answers for notebooks."""

from __future__ import annotations

import html
from typing import Any, List, Mapping, Optional, Sequence

from lockstep import html_tables

CLOCKS = ("from_", "to")
# The columns of a heat map that fit on a page.
MAX_CELLS = 120


def titled(title: str, *parts: str) -> str:
    return f"<div><b>{html.escape(title)}</b>{''.join(parts)}</div>"


def sentences(words: Sequence[str]) -> str:
    return "".join(f"<p>{html.escape(one)}</p>" for one in words if one)


def rows_of(objects: List[Any], *names: str) -> str:
    """A table of those attributes, without columns that are empty in all rows."""
    shown = [name for name in names if any(getattr(one, name) not in (None, "", [], {}) for one in objects)]
    return html_tables.table([name.rstrip("_").replace("_", " ") for name in shown],
                             [[cell(name, getattr(one, name)) for name in shown] for one in objects])


def cell(name: str, value: Any) -> Any:
    """An attribute as a table cell: formats times and evidence."""
    if name in CLOCKS and isinstance(value, (int, float)):
        return html_tables.clock(value)
    if name == "evidence":
        return [evidence_text(one) for one in value]
    return value


def evidence_text(one: Any) -> str:
    """A number behind a verdict, with its reference value."""
    if not isinstance(one, Mapping):
        return str(one)
    value, reference = (html_tables.text_of(one.get(name)) for name in ("value", "reference"))
    unit = one.get("unit") or ""
    against = f" vs. {reference}" if reference else ""
    return f"{one.get('signal')} {value}{against} {unit}".rstrip()


def shares(parts: Mapping[str, Optional[float]], whole: Optional[float]) -> str:
    """Parts of a whole as bars, largest first, without empty ones."""
    known = sorted(((value, name) for name, value in parts.items() if value), reverse=True)
    rows = "".join(
        f"<tr><td>{html.escape(name.replace('_', ' '))}</td><td>{value:.4g}</td><td>{value / whole:.1%}</td>"
        f'<td style="text-align:left"><div style="background:#4878d0;height:0.8em;width:{100 * value / whole:.0f}px"></div></td></tr>'
        for value, name in known if whole)
    return f"<table><tbody>{rows}</tbody></table>"


def coloured(names: Sequence[Any], rows: Sequence[Sequence[Optional[float]]]) -> str:
    """A row of cells for each name: low numbers are pale, high ones dark."""
    numbers = [value for row in rows for value in row if value is not None]
    if not numbers:
        return ""
    low, high = min(numbers), max(numbers)
    lines = []
    for name, row in zip(names, rows):
        every = max(1, -(-len(row) // MAX_CELLS))
        cells = "".join(coloured_cell(value, low, high) for value in row[::every])
        lines.append(f"<tr><th>{html.escape(str(name))}</th>{cells}</tr>")
    return (f'<table style="border-spacing:0">{"".join(lines)}</table>'
            f"<p>{html_tables.text_of(float(low))} (pale) to {html_tables.text_of(float(high))} (dark)</p>")


def coloured_cell(value: Optional[float], low: float, high: float) -> str:
    if value is None:
        return '<td style="padding:4px;background:#eee"></td>'
    share = (value - low) / (high - low) if high > low else 0.0
    return f'<td style="padding:4px;background:rgba(178,24,43,{0.05 + 0.95 * share:.2f})" title="{value:.6g}"></td>'
