// What an import of any kind of source is given, and what it says of itself. Plain data.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "import/delivery.h"
#include "import/resume_point.h"
#include "import/sample_counts.h"
#include "import/sample_fates.h"
#include "import/sample_times.h"

namespace lockstep::importer {

// What a source came to so far.
struct ImportReport {
  std::string source;   // a path, or the address of a server
  std::string format;   // "" while it is not known
  SampleCounts counts;  // that it holds
  // What the server did with them. Nothing on a dry run, and where no answer says.
  std::optional<SampleFates> fates;
  uint64_t done_before = 0;  // lines or series of them that an earlier import had delivered
  uint64_t left_out = 0;     // lines, records or chunks that are broken
  uint64_t refused = 0;      // requests that the server did not take whole
  uint64_t read_bytes = 0;
  uint64_t file_bytes = 0;           // 0 when not known
  std::vector<std::string> remarks;  // for people, about all of it

  bool is_cut = false;  // its end is missing

  // That are stored and were not before; on a dry run all that it holds.
  uint64_t new_samples() const { return fates.has_value() ? fates->stored : counts.samples(); }
  void AddFates(const std::optional<SampleFates>& more) {
    if (!more.has_value()) return;
    if (!fates.has_value()) fates.emplace();
    *fates += *more;
  }

  // Whether all that it holds is in the server.
  bool is_whole() const { return left_out == 0 && refused == 0 && !is_cut; }
};

struct ImportSession {
  Delivery& delivery;
  SampleTimes& times;       // of all that is imported: several files may be of one run
  bool is_dry_run = false;  // read and count, deliver nothing
  bool resumes = false;     // keep a ResumePoint and begin at it
  ResumePoint::Use resume_use() const {
    if (!resumes) return ResumePoint::Use::kNone;
    return is_dry_run ? ResumePoint::Use::kRead : ResumePoint::Use::kReadAndWrite;
  }
  // Hears of each delivered request.
  std::function<void(const ImportReport&)> progress;
  // Hears of each thing that was left out or refused, with its place in the source.
  std::function<void(const ImportReport&, const std::string& message)> complain;
};

}  // namespace lockstep::importer
