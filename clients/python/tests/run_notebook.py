"""Executes a notebook and writes the output of its cells as JSON: kinds and texts for each code cell.

usage: run_notebook.py NOTEBOOK.ipynb      runs where requirements-notebooks.txt is installed; a cell that raises is an error
"""

import json
import sys

import nbclient
import nbformat

CELL_WITHIN_S = 300


def shown(cell):
    """{MIME type or "stream": text} for all output of a cell."""
    told = {}
    for output in cell.outputs:
        parts = {"stream": output.text} if output.output_type == "stream" else output.data
        for kind, text in parts.items():
            told[kind] = told.get(kind, "") + text
    return told


def main():
    notebook = nbformat.read(sys.argv[1], as_version=4)
    nbclient.NotebookClient(notebook, timeout=CELL_WITHIN_S, kernel_name="python3").execute()
    json.dump([shown(cell) for cell in notebook.cells if cell.cell_type == "code"], sys.stdout)


if __name__ == "__main__":
    main()
