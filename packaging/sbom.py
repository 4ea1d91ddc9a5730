"""A bill of materials in SPDX 2.3, as JSON."""

import datetime
import hashlib
import json
import re
import urllib.parse

from release import SUMMARY

RELATIONSHIPS = {"static": "STATIC_LINK", "dynamic": "DYNAMIC_LINK", "headers": "CONTAINS", "page": "CONTAINS",
                 "files": "CONTAINS"}
WORDS = {"static": "linked statically: {}", "dynamic": "loaded at run time: {}",
         "headers": "its headers are compiled in", "page": "part of the web page", "files": "files of it are in the image"}


def purl(part, release):
    if part.kind == "page":
        return f"pkg:npm/{part.name.replace('@', '%40')}@{part.version}"
    quoted = urllib.parse.quote(part.version, safe="~.-:+").replace("+", "%2B")
    return f"pkg:deb/debian/{part.name}@{quoted}?arch=amd64&distro=debian-{release}"


def identifier(*words):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(words).replace("+", "plus")).strip("-")


def package_of(part, release):
    package = {
        "SPDXID": identifier(part.kind, part.name),
        "name": part.name,
        "versionInfo": part.version,
        "supplier": "Organization: Debian" if part.kind != "page" else "NOASSERTION",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": part.licence or "NOASSERTION",
        "copyrightText": "NOASSERTION",
        "comment": WORDS[part.kind].format(" ".join(part.files)),
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                          "referenceLocator": purl(part, release)}],
    }
    if part.kind != "page":
        package["sourceInfo"] = f"built from Debian's source package {part.source}"
    return package


def document(artefact, version, parts, release, epoch):
    """The text of `artefact`'s bill. `artefact` is a file; `parts` are linked.Part."""
    digest = hashlib.sha256(artefact.read_bytes()).hexdigest()
    ours = {
        "SPDXID": "SPDXRef-lockstep",
        "name": "lockstep",
        "versionInfo": version,
        "packageFileName": artefact.name,
        "summary": SUMMARY,
        "supplier": "NOASSERTION",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "primaryPackagePurpose": "APPLICATION",
        "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
        "licenseConcluded": "Apache-2.0",
        "licenseDeclared": "Apache-2.0",
        "copyrightText": "NOASSERTION",
    }
    packages = [package_of(part, release) for part in parts]
    links = [("SPDXRef-DOCUMENT", "DESCRIBES", ours["SPDXID"])]
    links += [(ours["SPDXID"], RELATIONSHIPS[part.kind], package["SPDXID"])
              for part, package in zip(parts, packages)]
    created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc)
    return json.dumps({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": artefact.name,
        "documentNamespace": f"urn:lockstep:sbom:{artefact.name}:{digest}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: lockstep-packaging"]},
        "packages": [ours, *packages],
        "relationships": [{"spdxElementId": source, "relationshipType": kind, "relatedSpdxElement": target}
                          for source, kind, target in links],
    }, indent=1) + "\n"
