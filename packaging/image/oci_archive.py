"""Writes an OCI image archive: a tar file of an OCI image layout with one layer. The same input gives the same bytes.

https://github.com/opencontainers/image-spec/blob/v1.1.0/image-layout.md
"""

import dataclasses
import datetime
import gzip
import hashlib
import io
import json
import pathlib
import tarfile

CONFIG_TYPE = "application/vnd.oci.image.config.v1+json"
INDEX_TYPE = "application/vnd.oci.image.index.v1+json"
LAYER_TYPE = "application/vnd.oci.image.layer.v1.tar+gzip"
MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"


@dataclasses.dataclass
class Entry:
    """A file, folder or link of a layer: of exactly one of `data` (bytes), `link` (its target) or neither (a folder)."""

    mode: int
    data: bytes | None = None
    link: str | None = None
    owner: int = 0  # user and group id


class RootFileSystem:
    """Entries of a layer, by absolute path. Folders above an entry are made as needed."""

    def __init__(self):
        self._entries = {}

    def folder(self, path, mode=0o755, owner=0):
        self._add(path, Entry(mode, owner=owner))

    def file(self, path, data, mode=0o644):
        self._add(path, Entry(mode, data=data.encode() if isinstance(data, str) else data))

    def copy(self, path, source, mode=0o644):
        self.file(path, pathlib.Path(source).read_bytes(), mode)

    def link(self, path, target):
        self._add(path, Entry(0o777, link=target))

    def _add(self, path, entry):
        for above in reversed(pathlib.PurePosixPath(path).parents):
            if str(above) != "/":
                self._entries.setdefault(str(above), Entry(0o755))
        self._entries[path] = entry

    def to_tar(self, time_s):
        """An uncompressed tar, sorted by path, in which everything was last changed at `time_s`."""
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
            for path, entry in sorted(self._entries.items()):
                tar.addfile(*_member(path.lstrip("/"), entry, time_s))
        return out.getvalue()

    def extract(self, folder, time_s):
        """Writes it to a new folder; as root, with its owners."""
        pathlib.Path(folder).mkdir(parents=True)
        with tarfile.open(fileobj=io.BytesIO(self.to_tar(time_s))) as tar:
            tar.extractall(folder, numeric_owner=True)


def _member(name, entry, time_s):
    member = tarfile.TarInfo(name)
    member.mode, member.mtime = entry.mode, time_s
    member.uid = member.gid = entry.owner
    if entry.link is not None:
        member.type, member.linkname = tarfile.SYMTYPE, entry.link
    elif entry.data is None:
        member.type = tarfile.DIRTYPE
    else:
        member.size = len(entry.data)
        return member, io.BytesIO(entry.data)
    return member, None


class Blobs:
    """The layout's blobs, by digest."""

    def __init__(self):
        self.by_digest = {}

    def add(self, media_type, data, **more):
        """Keeps `data`; returns its descriptor."""
        digest = hashlib.sha256(data).hexdigest()
        self.by_digest[digest] = data
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(data), **more}


def to_json(document):
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()


def write_archive(path, root, config, labels, reference, time_s, architecture="amd64"):
    """Writes the image to `path`.

    `config` is what containers are started with (the "config" of an image configuration), `labels` are annotations of
    the image, and `reference` is its name with a tag. All times are `time_s`, in Unix seconds.
    """
    created = datetime.datetime.fromtimestamp(time_s, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    layer = root.to_tar(time_s)
    blobs = Blobs()
    layer_blob = blobs.add(LAYER_TYPE, gzip.compress(layer, compresslevel=6, mtime=0))
    config_blob = blobs.add(CONFIG_TYPE, to_json({
        "architecture": architecture, "os": "linux", "created": created,
        "config": {**config, "Labels": labels},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
        "history": [{"created": created, "created_by": "packaging/image/build_image.py"}],
    }))
    manifest_blob = blobs.add(
        MANIFEST_TYPE,
        to_json({"schemaVersion": 2, "mediaType": MANIFEST_TYPE, "config": config_blob, "layers": [layer_blob],
                 "annotations": labels}),
        platform={"architecture": architecture, "os": "linux"},
        annotations={"org.opencontainers.image.ref.name": reference.rpartition(":")[2],
                     # Which name `docker load` and containerd give it.
                     "io.containerd.image.name": reference})
    layout = RootFileSystem()
    layout.file("/oci-layout", to_json({"imageLayoutVersion": "1.0.0"}))
    layout.file("/index.json", to_json({"schemaVersion": 2, "mediaType": INDEX_TYPE, "manifests": [manifest_blob]}))
    for digest, data in blobs.by_digest.items():
        layout.file(f"/blobs/sha256/{digest}", data)
    pathlib.Path(path).write_bytes(layout.to_tar(time_s))


def files_of(path):
    """The names of all files in the layer of an archive that write_archive() wrote."""
    with tarfile.open(path) as archive:
        def document(name):
            return json.load(archive.extractfile(name))

        def blob(descriptor):
            return f"blobs/{descriptor['digest'].replace(':', '/')}"

        [manifest] = document("index.json")["manifests"]
        [layer] = document(blob(manifest))["layers"]
        with tarfile.open(fileobj=archive.extractfile(blob(layer)), mode="r:gz") as files:
            return files.getnames()
