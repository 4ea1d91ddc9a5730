// ResumePoint: the progress of an import, kept in a small file next to what is imported. Not
// thread-safe.
//
//   lockstep-import 1
//   identity 123456
//   done 1000000
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace lockstep::importer {

// "FILE.lockstep-offset".
std::string ResumePath(const std::string& imported_path);

class ResumePoint {
 public:
  enum class Use : uint8_t { kNone, kRead, kReadAndWrite };

  // Opens the resume point for `imported_path`. Fails if the file is malformed or has another
  // `identity`, such as a file's size, which means that it belongs to another file. Without a file,
  // nothing is done yet.
  static absl::StatusOr<ResumePoint> Open(const std::string& imported_path, uint64_t identity,
                                          Use use);

  // The amount delivered, in the import's own unit: lines, series, milliseconds.
  uint64_t done() const { return done_; }
  // Replaces the file atomically.
  absl::Status Advance(uint64_t done);
  // Call when everything is delivered.
  void Remove();

 private:
  ResumePoint(std::string path, uint64_t identity, Use use)
      : path_(std::move(path)), identity_(identity), use_(use) {}
  absl::Status Read();

  std::string path_;
  uint64_t identity_;
  Use use_;
  uint64_t done_ = 0;
};

}  // namespace lockstep::importer
