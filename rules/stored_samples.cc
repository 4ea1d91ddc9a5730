#include "rules/stored_samples.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace lockstep::rules {
namespace {

DecodedWrite WriteOf(const engine::VectorResult& samples) {
  DecodedWrite write;
  for (const engine::VectorElement& sample : samples) {
    std::vector<SeriesWrite>& all = write.request.series;
    if (all.empty() || all.back().labels != sample.labels) all.push_back({sample.labels, {}, {}});
    SeriesWrite& series = all.back();
    if (sample.histogram == nullptr) {
      series.samples.push_back({sample.timestamp_ms, sample.value});
      ++write.sample_count;
    } else {
      series.histograms.push_back({sample.timestamp_ms, sample.histogram});
      ++write.histogram_count;
    }
  }
  write.series_count = write.request.series.size();
  return write;
}

// The result of a write, for the thread that waits for it.
class Answer {
 public:
  void Give(absl::Status status) {
    const MutexLock lock(mutex_);
    status_ = std::move(status);
    is_given_ = true;
    given_.NotifyAll();
  }
  absl::Status Await() {
    const MutexLock lock(mutex_);
    while (!is_given_) given_.Wait(mutex_);
    return status_;
  }

 private:
  Mutex mutex_;
  CondVar given_;
  bool is_given_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  absl::Status status_ LOCKSTEP_GUARDED_BY(mutex_);
};

absl::Status StatusOf(const absl::StatusOr<WriteSummary>& summary) {
  if (!summary.ok() || summary->refusals.empty()) return summary.status();
  return absl::FailedPreconditionError(summary->refusals.ToString());
}

}  // namespace

absl::StatusOr<engine::VectorResult> VectorOf(engine::QueryValue value) {
  if (auto* vector = std::get_if<engine::VectorResult>(&value)) return std::move(*vector);
  if (const auto* scalar = std::get_if<engine::ScalarResult>(&value)) {
    return engine::VectorResult{{LabelSet(), scalar->timestamp_ms, scalar->value, nullptr}};
  }
  return absl::InvalidArgumentError("rule result is not a vector or scalar");
}

absl::Status WriteAndWait(const scrape::StoreSamples& store, const engine::VectorResult& samples) {
  const auto answer = std::make_shared<Answer>();
  store(WriteOf(samples),
        [answer](const absl::StatusOr<WriteSummary>& summary) { answer->Give(StatusOf(summary)); });
  return answer->Await();
}

absl::Status WriteAndWait(Storage& storage, const engine::VectorResult& samples) {
  const auto answer = std::make_shared<Answer>();
  storage.Write(WriteOf(samples).request, [answer](const absl::StatusOr<WriteOutcome>& outcome) {
    const bool is_refused = outcome.ok() && !outcome->rejected.empty();
    answer->Give(is_refused ? absl::FailedPreconditionError(outcome->rejected.front().reason)
                            : outcome.status());
  });
  return answer->Await();
}

}  // namespace lockstep::rules
