#include "cli/process/certificates.h"

#include <unistd.h>

#include <cstdlib>

namespace lockstep::cli {
namespace {

constexpr const char* kPlaces[] = {
    "/etc/ssl/certs/ca-certificates.crt",                 // Debian, Ubuntu, Arch, Alpine, Gentoo
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora, RHEL, Amazon Linux
    "/etc/pki/tls/certs/ca-bundle.crt",                   // older releases of those
    "/etc/ssl/ca-bundle.pem",                             // SUSE
    "/etc/ssl/cert.pem",                                  // the BSD path, used by some images
};

}  // namespace

void UseSystemCertificates() {
  if (std::getenv("SSL_CERT_FILE") != nullptr || std::getenv("SSL_CERT_DIR") != nullptr) return;
  for (const char* place : kPlaces) {
    if (access(place, R_OK) == 0) {
      setenv("SSL_CERT_FILE", place, /*replace=*/0);
      return;
    }
  }
}

}  // namespace lockstep::cli
