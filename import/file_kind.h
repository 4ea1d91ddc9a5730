// What a file is, by its first bytes. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace lockstep::importer {

enum class FileKind : uint8_t {
  kOpenMetrics,  // text with times in seconds
  kPrometheus,   // text with times in milliseconds
  kSteps,        // JSON lines that say themselves whose they are
  kLog,          // any other training log
  kTensorboard,
  kKineto,
  kNsys,
  kWandb,   // a run's transaction log
  kMlflow,  // an SQLite database
};

struct FileFormat {
  FileKind kind;
  std::string name;  // of a training log that of log_formats.h
};

// kInvalidArgument names all formats.
absl::StatusOr<FileFormat> FormatOfName(std::string_view name);

// By the `head` of an uncompressed file; `path` has a say where several formats look alike. An
// error says what it was compared with.
absl::StatusOr<FileFormat> FormatOfFile(std::string_view path, std::string_view head);

}  // namespace lockstep::importer
