"""Licences of Debian packages, as their machine-readable copyright files say them."""

import pathlib
import re

# Debian's short names that differ from SPDX's. Other names are tried as they are.
SPDX_NAMES = {
    "apache-2": "Apache-2.0", "apache-2.0": "Apache-2.0", "boost-1.0": "BSL-1.0", "bsl-1.0": "BSL-1.0",
    "bsd-2-clause": "BSD-2-Clause", "bsd-2-clauses": "BSD-2-Clause", "bsd-3-clause": "BSD-3-Clause",
    "bsd-3-clauses": "BSD-3-Clause", "curl": "curl", "expat": "MIT", "mit": "MIT", "zlib": "Zlib",
    "gpl-2": "GPL-2.0-only", "gpl-2+": "GPL-2.0-or-later", "gpl-2.0+": "GPL-2.0-or-later",
    "gpl-3+": "GPL-3.0-or-later", "lgpl-2.1": "LGPL-2.1-only", "lgpl-2.1+": "LGPL-2.1-or-later",
    "isc": "ISC", "openssl": "OpenSSL",
}
# Sources whose copyright files are prose, or use names of their own: read by hand.
BY_SOURCE = {
    "bzip2": "bzip2-1.0.6", "fmtlib": "MIT", "gcc-12": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "gcc-14": "GPL-3.0-or-later WITH GCC-exception-3.1", "glibc": "LGPL-2.1-or-later",
    "libxcrypt": "LGPL-2.1-or-later", "re2": "BSD-3-Clause", "sqlite3": "blessing", "yaml-cpp": "MIT",
}


def of(source, copyright_text):
    """The SPDX expression of a Debian source package; "" where it could not be derived."""
    return BY_SOURCE.get(source) or declared(copyright_text) or ""


def declared(copyright_text):
    """The SPDX expression of the stanza `Files: *`; None if it is missing or SPDX has no name for it."""
    stanza = re.search(r"^Files:[ \t\n]*\*[ \t]*\n(?:.+\n)*?License:[ \t]*(\S[^\n]*)", copyright_text, re.MULTILINE)
    if stanza is None:
        return None
    words = []
    for word in re.split(r"\s+(and|or)\s+", stanza[1].strip()):
        if word in ("and", "or"):
            words.append(word.upper())
        elif word.lower() in SPDX_NAMES:
            words.append(SPDX_NAMES[word.lower()])
        else:
            return None
    return " ".join(words)


def copyright_of(package):
    """The text of Debian's copyright file of an installed package."""
    path = pathlib.Path("/usr/share/doc", package.partition(":")[0], "copyright")
    return path.read_text(encoding="utf-8", errors="replace")
