"""Writes a C++ source file with docs/openapi.yaml in it, for /api/v1/openapi.yaml.

usage: embed_document.py DOCUMENT OUTPUT
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))

import embedded_bytes

# A document served by a server describes that server.
SERVER = b"  - url: http://127.0.0.1:9009\n"


def main():
    document = pathlib.Path(sys.argv[1]).read_bytes()
    if document.count(SERVER) != 1:
        sys.exit(f"embed_document: {sys.argv[1]} must contain exactly one server, {SERVER.decode().strip()}")
    document = document.replace(SERVER, b"  - url: /\n")
    pathlib.Path(sys.argv[2]).write_text(
        '#include "api/admin/openapi_document.h"\n\nnamespace lockstep::api {\nnamespace {\n\n'
        + embedded_bytes.view("kDocument", document)
        + "\n}  // namespace\n\nstd::string_view OpenApiDocument() { return kDocument; }\n\n"
        + "}  // namespace lockstep::api\n")


if __name__ == "__main__":
    main()
