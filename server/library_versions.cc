#include "server/library_versions.h"

#include <openssl/crypto.h>
#include <zlib.h>

#include <boost/version.hpp>

#include "absl/strings/str_format.h"

namespace lockstep::server {

std::vector<std::pair<std::string, std::string>> LibraryVersions() {
  return {
      {"Boost", absl::StrFormat("%d.%d.%d", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000,
                                BOOST_VERSION % 100)},
      {"OpenSSL", OpenSSL_version(OPENSSL_VERSION_STRING)},
      {"zlib", zlibVersion()},
  };
}

}  // namespace lockstep::server
