#include "import/delivery/resume_point.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_format.h"

namespace lockstep::importer {

std::string ResumePath(const std::string& imported_path) {
  return imported_path + ".lockstep-offset";
}

absl::StatusOr<ResumePoint> ResumePoint::Open(const std::string& imported_path, uint64_t identity,
                                              Use use) {
  ResumePoint point(ResumePath(imported_path), identity, use);
  if (use != Use::kNone) LOCKSTEP_RETURN_IF_ERROR(point.Read());
  return point;
}

absl::Status ResumePoint::Read() {
  std::ifstream file(path_);
  if (!file) return absl::OkStatus();
  std::string magic, identity_key, done_key;
  int version = 0;
  uint64_t identity = 0;
  file >> magic >> version >> identity_key >> identity >> done_key >> done_;
  if (!file || magic != "lockstep-import" || version != 1 || identity_key != "identity" ||
      done_key != "done") {
    return absl::DataLossError(
        absl::StrFormat("\"%s\" is not a resume point; delete it to start over", path_));
  }
  if (identity == identity_) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrFormat("\"%s\" belongs to another import; delete it to start over", path_));
}

absl::Status ResumePoint::Advance(uint64_t done) {
  done_ = done;
  if (use_ != Use::kReadAndWrite) return absl::OkStatus();
  const std::string new_path = path_ + ".new";
  {
    std::ofstream file(new_path, std::ios::trunc);
    file << "lockstep-import 1\nidentity " << identity_ << "\ndone " << done << "\n";
    file.flush();
    if (!file) return absl::UnavailableError(absl::StrFormat("cannot write \"%s\"", new_path));
  }
  std::error_code error;
  std::filesystem::rename(new_path, path_, error);
  if (!error) return absl::OkStatus();
  return absl::UnavailableError(absl::StrFormat("cannot write \"%s\": %s", path_, error.message()));
}

void ResumePoint::Remove() {
  std::error_code ignored;
  if (use_ == Use::kReadAndWrite) std::filesystem::remove(path_, ignored);
}

}  // namespace lockstep::importer
