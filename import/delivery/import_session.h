// The inputs and the report shared by imports of all kinds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "import/delivery/delivery.h"
#include "import/delivery/resume_point.h"
#include "import/delivery/sample_fates.h"
#include "import/delivery/sample_times.h"
#include "ingest/push/step_batch.h"
#include "model/labels.h"
#include "storage/write.h"

namespace lockstep::importer {

// Counts the samples in write requests, and their time range. Not thread-safe.
class SampleCounts {
 public:
  void Add(const WriteRequest& request) {
    for (const SeriesWrite& series : request.series) Add(series);
  }

  uint64_t samples() const { return samples_; }
  uint64_t series() const { return series_.size(); }
  uint64_t steps() const { return steps_; }  // samples of push::kStepMetric
  std::optional<int64_t> first_ms() const { return first_ms_; }
  std::optional<int64_t> last_ms() const { return last_ms_; }

 private:
  void Add(const SeriesWrite& series) {
    series_.insert(absl::Hash<LabelSet>()(series.labels));
    const uint64_t count = series.samples.size() + series.histograms.size();
    samples_ += count;
    if (series.labels.metric_name() == push::kStepMetric) steps_ += count;
    for (const Sample& sample : series.samples) TakeTime(sample.timestamp_ms);
    for (const HistogramSample& sample : series.histograms) TakeTime(sample.timestamp_ms);
  }
  void TakeTime(int64_t time_ms) {
    first_ms_ = std::min(first_ms_.value_or(time_ms), time_ms);
    last_ms_ = std::max(last_ms_.value_or(time_ms), time_ms);
  }

  uint64_t samples_ = 0;
  uint64_t steps_ = 0;
  absl::flat_hash_set<uint64_t> series_;  // hashes of labels
  std::optional<int64_t> first_ms_;
  std::optional<int64_t> last_ms_;
};

// The progress of one source.
struct ImportReport {
  std::string source;   // a path, or the address of a server
  std::string format;   // "" while unknown
  SampleCounts counts;  // of its samples
  // What the server did with them. Nothing on a dry run, or if a response did not say.
  std::optional<SampleFates> fates;
  uint64_t done_before = 0;  // lines or series delivered by an earlier import
  uint64_t left_out = 0;     // malformed lines, records or chunks
  uint64_t refused = 0;      // requests that the server refused at least in part
  uint64_t read_bytes = 0;
  uint64_t file_bytes = 0;           // 0 if unknown
  std::vector<std::string> remarks;  // for people, about the whole source

  bool is_cut = false;  // its end is missing

  // Samples newly stored; on a dry run, all samples.
  uint64_t new_samples() const { return fates.has_value() ? fates->stored : counts.samples(); }
  void AddFates(const std::optional<SampleFates>& more) {
    if (!more.has_value()) return;
    if (!fates.has_value()) fates.emplace();
    *fates += *more;
  }

  // Whether everything in the source is now in the server.
  bool is_whole() const { return left_out == 0 && refused == 0 && !is_cut; }
};

struct ImportSession {
  Delivery& delivery;
  SampleTimes& times;       // shared by all sources: several files may belong to one run
  bool is_dry_run = false;  // only read and count
  bool resumes = false;     // keep a ResumePoint and start from it
  ResumePoint::Use resume_use() const {
    if (!resumes) return ResumePoint::Use::kNone;
    return is_dry_run ? ResumePoint::Use::kRead : ResumePoint::Use::kReadAndWrite;
  }
  // Called after each delivered request.
  std::function<void(const ImportReport&)> progress;
  // Called for everything dropped or refused, with its position in the source.
  std::function<void(const ImportReport&, const std::string& message)> complain;
};

}  // namespace lockstep::importer
