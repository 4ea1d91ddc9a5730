"""What every image of lockstep holds beside its program: a user, CA certificates, and an empty /tmp."""

import pathlib

import library_closure
from oci_archive import RootFileSystem
from release import ROOT

# Also in packaging/helm/lockstep/values.yaml and in the Containerfiles.
USER_ID = 65532
CA_CERTIFICATES = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
# OpenSSL would look for a folder of hashed links.
ENVIRONMENT = ("PATH=/usr/bin", f"SSL_CERT_FILE={CA_CERTIFICATES}")


def make():
    """A root file system with the folders and files of a minimal Linux, and lockstep's licence."""
    root = RootFileSystem()
    for name in ("bin", "lib", "lib64", "sbin"):
        root.folder(f"/usr/{name}")
        root.link(f"/{name}", f"usr/{name}")
    for name in ("dev", "proc", "run", "sys", "etc"):
        root.folder(f"/{name}")
    root.folder("/tmp", mode=0o1777)
    root.file("/etc/passwd", f"root:x:0:0:root:/root:/sbin/nologin\n"
                             f"lockstep:x:{USER_ID}:{USER_ID}:lockstep:/var/lib/lockstep:/sbin/nologin\n")
    root.file("/etc/group", f"root:x:0:\nlockstep:x:{USER_ID}:\n")
    root.file("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n")
    root.copy(str(CA_CERTIFICATES), CA_CERTIFICATES)
    root.copy("/usr/share/doc/lockstep/copyright", ROOT / "LICENSE")
    root.folder("/var/lib/lockstep", mode=0o750, owner=USER_ID)
    return root


def add_libraries(root, programs):
    """The libraries of `programs`, with the licences and the records of the Debian packages that they are from."""
    libraries = library_closure.shared_libraries(programs)
    for path, file in libraries.items():
        root.copy(path, file, mode=0o755)
    # The bundle of certificates is made at installation, and belongs to no package.
    add_packages(root, [*library_closure.debian_packages(libraries.values()), "ca-certificates"])


def add_packages(root, packages):
    for package in packages:
        name = package.partition(":")[0]
        # Scanners look here for packages of images that have no dpkg.
        root.file(f"/var/lib/dpkg/status.d/{name}", library_closure.package_record(package))
        copyright_file = pathlib.Path(f"/usr/share/doc/{name}/copyright")
        if copyright_file.exists():
            root.copy(f"/usr/share/doc/{name}/copyright", copyright_file)
