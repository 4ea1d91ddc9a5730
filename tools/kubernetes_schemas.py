"""Writes Kubernetes' and the Prometheus operator's schemas in kubeconform's layout; used by build_kubeconform.sh.

usage: kubernetes_schemas.py PACKAGE DEFINITION OUTPUT RELEASE ...

PACKAGE is the unpacked PyPI package kubernetes-validate, DEFINITION the operator's CustomResourceDefinition of
ServiceMonitor. OUTPUT gets RELEASE-standalone-strict/KIND-GROUP-VERSION.json and GROUP/KIND.json.
"""

import json
import pathlib
import sys


def relative(schema):
    """Removes addresses that only resolve inside the package; in place."""
    for part in parts(schema):
        part.pop("$id", None)
        # Kubernetes also has an object with a property of this name.
        if isinstance(part.get("$ref"), str):
            part["$ref"] = part["$ref"].replace("/api/_definitions.json", "_definitions.json")


def strict(schema):
    """Makes unknown keys an error; in place."""
    for part in parts(schema):
        if part.get("type") == "object" and "properties" in part:
            part.setdefault("additionalProperties", False)


def parts(schema):
    """Every object of a JSON document."""
    if isinstance(schema, dict):
        yield schema
    for value in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from parts(value)


def lay_out_release(package, release, output):
    folder = output / f"{release}-standalone-strict"
    folder.mkdir(parents=True)
    for file in (package / "kubernetes_validate/kubernetes-json-schema" / f"{release}-local-strict").iterdir():
        schema = json.loads(file.read_text())
        relative(schema)
        (folder / file.name).write_text(json.dumps(schema))


def lay_out_definition(definition, output):
    document = json.loads(definition.read_text())
    [version] = document["spec"]["versions"]
    schema = version["schema"]["openAPIV3Schema"]
    strict(schema)
    # Kubernetes checks the metadata itself.
    schema["properties"]["metadata"] = {"type": "object"}
    folder = output / document["spec"]["group"]
    folder.mkdir()
    (folder / f"{document['spec']['names']['singular']}.json").write_text(json.dumps(schema))


def main(package, definition, output, *releases):
    output = pathlib.Path(output)
    for release in releases:
        lay_out_release(pathlib.Path(package), release, output)
    lay_out_definition(pathlib.Path(definition), output)


if __name__ == "__main__":
    main(*sys.argv[1:])
