#include "cli/help/version.h"

#include <absl/base/config.h>
#include <curl/curl.h>
#include <CLI/Version.hpp>

#include "absl/strings/str_format.h"
#include "server/library_versions.h"

namespace lockstep::cli {

std::string Version() { return LOCKSTEP_VERSION; }

std::string Revision() { return LOCKSTEP_REVISION; }

std::string Compiler() {
#if defined(__clang__)
  return absl::StrFormat("clang++ %d.%d.%d", __clang_major__, __clang_minor__,
                         __clang_patchlevel__);
#else
  return absl::StrFormat("g++ %d.%d.%d", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

std::vector<std::pair<std::string, std::string>> LibraryVersions() {
  std::vector<std::pair<std::string, std::string>> versions = server::LibraryVersions();
  versions.emplace_back("RocksDB", LOCKSTEP_ROCKSDB_VERSION);
  versions.emplace_back("Abseil", std::to_string(ABSL_LTS_RELEASE_VERSION));
  versions.emplace_back("CLI11", CLI11_VERSION);
  versions.emplace_back("curl", curl_version_info(CURLVERSION_NOW)->version);
  return versions;
}

std::string VersionLine() {
  const std::string revision = Revision().empty() ? "" : absl::StrFormat(" (%s)", Revision());
  return absl::StrFormat("lockstep %s%s", Version(), revision);
}

std::string VersionText() {
  std::string text = absl::StrFormat("%s\ncompiler %s\n", VersionLine(), Compiler());
  for (const auto& [library, version] : LibraryVersions()) {
    absl::StrAppendFormat(&text, "%s %s\n", library, version);
  }
  return text;
}

}  // namespace lockstep::cli
