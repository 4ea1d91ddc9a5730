"""Writes a C++ source file with a document of docs/ in it.

usage: embed_document.py DOCUMENT OUTPUT HEADER FUNCTION

HEADER declares FUNCTION, which returns the document.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))

import embedded_bytes

# A description of the API that a server serves describes that server.
SERVER = b"  - url: http://127.0.0.1:9009\n"


def main():
    path, output, header, function = sys.argv[1:]
    document = pathlib.Path(path).read_bytes()
    if path.endswith("openapi.yaml"):
        if document.count(SERVER) != 1:
            sys.exit(f"embed_document: {path} must contain exactly one server, {SERVER.decode().strip()}")
        document = document.replace(SERVER, b"  - url: /\n")
    pathlib.Path(output).write_text(
        f'#include "{header}"\n\nnamespace lockstep::api {{\nnamespace {{\n\n'
        + embedded_bytes.view(f"k{function}", document)
        + f"\n}}  // namespace\n\nstd::string_view {function}() {{ return k{function}; }}\n\n"
        + "}  // namespace lockstep::api\n")


if __name__ == "__main__":
    main()
