"""Writes bytes as C++ string literals, for files that the build compiles into the program."""

# Compilers are slow with longer string literals.
PIECE_BYTES = 1 << 14


def literal(content):
    """`content` as C++ string literals, one per line."""
    lines = []
    for begin in range(0, len(content), PIECE_BYTES):
        piece = content[begin:begin + PIECE_BYTES]
        text = "".join(chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}"
                       for byte in piece)
        lines.append(f'    "{text}"')
    return "\n".join(lines) or '    ""'


def view(name, content):
    """The definition of a string_view `name` with the bytes of `content`."""
    return f"constexpr std::string_view {name}(\n{literal(content)},\n    {len(content)});\n"
