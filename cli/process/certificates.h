// Finds the system's trusted CA certificates.
#pragma once

namespace lockstep::cli {

// Sets SSL_CERT_FILE, which OpenSSL reads, to the first existing path among those that
// distributions use. A statically linked OpenSSL knows only the path of the system that built it.
// Does nothing if SSL_CERT_FILE or SSL_CERT_DIR is set. Call before any thread starts.
void UseSystemCertificates();

}  // namespace lockstep::cli
