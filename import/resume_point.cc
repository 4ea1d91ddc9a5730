#include "import/resume_point.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_format.h"

namespace lockstep::importer {

std::string ResumePath(const std::string& imported_path) {
  return imported_path + ".lockstep-offset";
}

absl::StatusOr<ResumePoint> ReadResumePoint(const std::string& path) {
  std::ifstream file(path);
  if (!file) return ResumePoint();
  std::string magic, file_bytes_key, done_lines_key;
  int version = 0;
  ResumePoint point;
  file >> magic >> version >> file_bytes_key >> point.file_bytes >> done_lines_key >>
      point.done_lines;
  if (!file || magic != "lockstep-import" || version != 1 || file_bytes_key != "file_bytes" ||
      done_lines_key != "done_lines") {
    return absl::DataLossError(absl::StrFormat(
        "\"%s\" does not say how far an import got; delete it to begin anew", path));
  }
  return point;
}

absl::Status WriteResumePoint(const std::string& path, const ResumePoint& point) {
  const std::string new_path = path + ".new";
  {
    std::ofstream file(new_path, std::ios::trunc);
    file << "lockstep-import 1\nfile_bytes " << point.file_bytes << "\ndone_lines "
         << point.done_lines << "\n";
    file.flush();
    if (!file) return absl::UnavailableError(absl::StrFormat("cannot write \"%s\"", new_path));
  }
  std::error_code error;
  std::filesystem::rename(new_path, path, error);
  if (error) {
    return absl::UnavailableError(
        absl::StrFormat("cannot write \"%s\": %s", path, error.message()));
  }
  return absl::OkStatus();
}

}  // namespace lockstep::importer
