"""Checks docs/openapi.yaml, and responses of a server against it.

Reads a list of responses (JSON: method, path, status, type, body) from standard input; writes the
document's operations by path and the problems. Runs where requirements.txt is installed.

usage: check.py OPENAPI.yaml
"""

import json
import sys

import jsonschema
import openapi_spec_validator
import yaml


def resolved(document, node):
    """The node, or the target of its $ref."""
    while "$ref" in node:
        name = node["$ref"]
        node = document
        for part in name.removeprefix("#/").split("/"):
            node = node[part]
    return node


def complaint(document, answer):
    """What is wrong with a response, or None."""
    responses = document["paths"][answer["path"]][answer["method"]]["responses"]
    response = responses.get(str(answer["status"])) or responses.get("default")
    if response is None:
        return f"status {answer['status']} is not told"
    content = resolved(document, response).get("content")
    if content is None:
        return "a body is not told" if answer["body"] else None
    kind = answer["type"].split(";")[0]
    if kind not in content:
        return f"{kind} is not told"
    if kind != "application/json":
        return None
    schema = {**content[kind]["schema"], "components": document["components"]}
    error = jsonschema.exceptions.best_match(
        jsonschema.Draft202012Validator(schema).iter_errors(json.loads(answer["body"])))
    return f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}" if error else None


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        document = yaml.safe_load(file)
    wrong = [error.message for error in openapi_spec_validator.OpenAPIV31SpecValidator(document).iter_errors()]
    for answer in json.load(sys.stdin):
        said = complaint(document, answer)
        if said:
            wrong.append(f"{answer['method']} {answer['path']}: {said}")
    operations = {path: sorted(key for key in methods if not key.startswith("x-"))
                  for path, methods in document["paths"].items()}
    json.dump({"operations": operations, "wrong": wrong}, sys.stdout)


if __name__ == "__main__":
    main()
