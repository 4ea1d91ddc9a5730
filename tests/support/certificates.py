"""Creates certificates for tests with openssl."""

import subprocess

WITHIN_S = 60


def make(folder):
    """ca.crt signs server.crt (for 127.0.0.1) and client.crt (for client.example)."""
    def openssl(*arguments):
        result = subprocess.run(["openssl", *arguments], cwd=folder, capture_output=True, text=True, timeout=WITHIN_S,
                                check=False)
        if result.returncode != 0:
            raise ChildProcessError(result.stderr)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc")
    for authority in ("ca", "other"):
        openssl("req", "-x509", *key, "-keyout", f"{authority}.key", "-out", f"{authority}.crt",
                "-subj", f"/CN={authority}", "-days", "2", "-addext", "keyUsage=critical,keyCertSign,cRLSign")
    for name, alternative in (("server", "IP:127.0.0.1"), ("client", "DNS:client.example")):
        openssl("req", *key, "-keyout", f"{name}.key", "-out", f"{name}.csr",
                "-subj", f"/CN={name}")
        (folder / "extensions").write_text(f"subjectAltName={alternative}\nauthorityKeyIdentifier=keyid\n")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.crt", "-CAkey", "ca.key",
                "-CAcreateserial", "-out", f"{name}.crt", "-days", "2", "-extfile", "extensions")
