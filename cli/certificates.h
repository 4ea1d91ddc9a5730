// Where this system keeps the certificates of the authorities that it trusts.
#pragma once

namespace lockstep::cli {

// Sets SSL_CERT_FILE, which OpenSSL reads, to the first of the places where distributions keep their
// certificates. A program that is linked with its own OpenSSL knows only the place of the system that
// built it. Does nothing where SSL_CERT_FILE or SSL_CERT_DIR is set. Call before any thread starts.
void UseSystemCertificates();

}  // namespace lockstep::cli
