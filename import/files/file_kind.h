// Detects a file's kind from its first bytes. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace lockstep::importer {

enum class FileKind : uint8_t {
  kOpenMetrics,  // text with times in seconds
  kPrometheus,   // text with times in milliseconds
  kSteps,        // JSON lines that name their job and rank
  kLog,          // any other training log
  kTensorboard,
  kKineto,
  kNsys,
  kWandb,   // a run's transaction log
  kMlflow,  // an SQLite database
  kFlightRecorder,
  kStack,  // of a process, by faulthandler or py-spy
};

struct FileFormat {
  FileKind kind;
  std::string name;  // for a training log, the name in log_formats.h
};

// Fails with kInvalidArgument, naming all formats.
absl::StatusOr<FileFormat> FormatOfName(std::string_view name);

// Detects the format from the `head` of a decompressed file; `path` decides between formats that
// look alike. An error names the formats tried.
absl::StatusOr<FileFormat> FormatOfFile(std::string_view path, std::string_view head);

}  // namespace lockstep::importer
