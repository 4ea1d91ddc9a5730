// ResumePoint: how far an import got, kept in a small file beside the one that is imported.
//
//   lockstep-import 1
//   file_bytes 123456
//   done_lines 1000000
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace lockstep::importer {

struct ResumePoint {
  uint64_t file_bytes = 0;  // of the imported file: another size is another file
  uint64_t done_lines = 0;  // were delivered
};

// "FILE.lockstep-offset".
std::string ResumePath(const std::string& imported_path);

// Zero lines when there is no such file. Fails on a file that is not of this form.
absl::StatusOr<ResumePoint> ReadResumePoint(const std::string& path);
// The file is the old one or the new one, whatever happens meanwhile.
absl::Status WriteResumePoint(const std::string& path, const ResumePoint& point);

}  // namespace lockstep::importer
