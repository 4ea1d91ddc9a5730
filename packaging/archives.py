"""Archives whose bytes depend on nothing but their content."""

import gzip
import io
import tarfile
import time
import zipfile


def write_tar_gz(output, members, epoch):
    """`members` are (name, bytes, mode). Folders are not listed: tar makes them."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content, mode in sorted(members):
            member = tarfile.TarInfo(name)
            member.size, member.mode, member.mtime = len(content), mode, epoch
            member.uname = member.gname = "root"
            tar.addfile(member, io.BytesIO(content))
    output.write_bytes(gzip.compress(buffer.getvalue(), 9, mtime=0))


def write_zip(output, members, epoch):
    """`members` are (name, bytes, mode), in the order in which they are written."""
    moment = time.gmtime(max(epoch, 315532800))[:6]  # zip begins in 1980
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content, mode in members:
            member = zipfile.ZipInfo(name, moment)
            member.external_attr = (0o100000 | mode) << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            member.create_system = 3
            archive.writestr(member, content)
