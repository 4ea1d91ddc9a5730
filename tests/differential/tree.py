"""Queries as trees of typed pieces of text, from which smaller valid queries can be made."""

from dataclasses import dataclass

SCALAR, VECTOR, MATRIX, STRING, DURATION = "scalar", "vector", "matrix", "string", "duration"
# May be omitted.
OPTIONAL = "optional"


@dataclass(frozen=True)
class Node:
    """A piece of a query: a sequence of text and other pieces."""

    type: str
    parts: tuple

    def __str__(self):
        return "".join(map(str, self.parts))


def node(kind, *parts):
    return Node(kind, parts)


def descendants(root):
    for part in root.parts:
        if isinstance(part, Node):
            yield part
            yield from descendants(part)


def paths(root, here=()):
    """The positions of all nodes: the indices of parts from the root on."""
    yield here
    for i, part in enumerate(root.parts):
        if isinstance(part, Node):
            yield from paths(part, (*here, i))


def at(root, path):
    for i in path:
        root = root.parts[i]
    return root


def replaced(root, path, new):
    if not path:
        return new
    i = path[0]
    return Node(
        root.type, (*root.parts[:i], replaced(root.parts[i], path[1:], new), *root.parts[i + 1 :])
    )


PLAIN = {SCALAR: "1", DURATION: "5m", OPTIONAL: ""}


def smaller(root):
    """Smaller trees of the same type, the smallest first."""
    found = {}
    for path in paths(root):
        old = at(root, path)
        choices = [one for one in descendants(old) if one.type == old.type]
        if old.type in PLAIN:
            choices.append(node(old.type, PLAIN[old.type]))
        for choice in choices:
            candidate = replaced(root, path, choice)
            if len(str(candidate)) < len(str(root)):
                found.setdefault(str(candidate), candidate)
    return sorted(found.values(), key=lambda one: len(str(one)))
