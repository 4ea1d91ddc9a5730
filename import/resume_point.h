// ResumePoint: how far an import got, kept in a small file beside what is imported. Not thread-safe.
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

  // Of what is imported from `imported_path`; another `identity`, as a file's size is, is another file, and
  // fails, as does a resume file that is not of this form. Nothing is done yet where there is no such file.
  static absl::StatusOr<ResumePoint> Open(const std::string& imported_path, uint64_t identity,
                                          Use use);

  // What was delivered, in whatever the import counts: lines, series, milliseconds.
  uint64_t done() const { return done_; }
  // The file is the old one or the new one, whatever happens meanwhile.
  absl::Status Advance(uint64_t done);
  // All was delivered.
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
