#include "storage/db/write/pending_write.h"

#include <algorithm>
#include <iterator>

namespace lockstep {
namespace {

void AddTo(WriteOutcome& sum, WriteOutcome part) {
  sum.written_count += part.written_count;
  sum.duplicate_count += part.duplicate_count;
  sum.overwritten_count += part.overwritten_count;
  sum.rejected_count += part.rejected_count;
  sum.rejected.insert(sum.rejected.end(), std::make_move_iterator(part.rejected.begin()),
                      std::make_move_iterator(part.rejected.end()));
}

}  // namespace

void PendingWrite::PartDone(absl::StatusOr<WriteOutcome> part) {
  absl::StatusOr<WriteOutcome> outcome;
  {
    MutexLock lock(mutex_);
    if (outcome_.ok() && part.ok()) {
      AddTo(*outcome_, *std::move(part));
    } else if (outcome_.ok()) {
      outcome_ = std::move(part);
    }
    if (--parts_left_ > 0) return;
    outcome = std::move(outcome_);
  }
  if (outcome.ok()) {
    std::sort(outcome->rejected.begin(), outcome->rejected.end(),
              [](const RejectedSeries& a, const RejectedSeries& b) {
                return a.series_index < b.series_index;
              });
  }
  committed_(std::move(outcome));
}

}  // namespace lockstep
