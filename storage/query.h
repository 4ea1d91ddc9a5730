// How the store is read: a Querier finds the series of a Selection, and a SeriesSet iterates over
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget/query_budget.h"
#include "base/status.h"
#include "model/labels.h"
#include "model/matcher.h"
#include "model/sample.h"

namespace lockstep {

// The series of one selection, or a part of them, one at a time. Not thread-safe; must not outlive
// its Querier.
class SeriesSet {
 public:
  virtual ~SeriesSet() = default;
  // The number of series.
  virtual size_t size() const = 0;
  // The work of reading them all, about that of so many series with few samples.
  virtual size_t work() const { return size(); }
  // Use it instead of Next(): the same series in at most `max_parts` sets of about the same size,
  // which separate threads may use. Series that are stored together stay together. Precondition:
  // max_parts > 0.
  virtual std::vector<std::unique_ptr<SeriesSet>> Split(size_t max_parts) = 0;

  // Moves to the next series; false at the end or on an error.
  virtual bool Next() = 0;
  // The rank of the current series among all of the selection, sorted by labels.
  virtual size_t position() const = 0;
  // The labels of the current series; the reference lives until Next().
  virtual const LabelSet& labels() const = 0;
  // Appends the current series' samples inside the selection's range to `columns`, which the caller
  // owns, clears and reuses. Stale markers are included, but see Selection::needed.
  virtual absl::Status Read(SampleColumns& columns) = 0;
  // Check it once, after the loop.
  virtual absl::Status status() const = 0;
};

// What a reader needs of the samples in each bucket of five minutes, (k * 5 min, (k + 1) * 5 min].
// A store may leave out the others if SampleColumns::left_out counts them, and may leave out stale
// markers without counting them; it may also return more, up to all samples. Samples that it
// returns lie in their bucket, in order.
enum class SamplesNeeded : uint8_t {
  kAll,
  kCount,    // any; their times and values mean nothing
  kLowest,   // the first of the lowest values; its time may be another sample's
  kHighest,  // the first of the highest; likewise
  kFirst,
  kLast,
  kEnds,    // the first and the last, and those on both sides of every fall
  kNewest,  // only the newest sample in the range, stale or not, or at each of the selection's
            // steps the newest one until then; older ones may go uncounted
};
inline constexpr int64_t kThinningBucketMs = int64_t{5} * 60 * 1000;

struct Selection {
  std::span<const Matcher> matchers;  // all must match
  TimeRange range;
  QueryBudget* budget = nullptr;  // not owned; may be null
  SamplesNeeded needed = SamplesNeeded::kAll;
  StepTimes steps{};  // only with kNewest
};

// A consistent view of the store at the time of its creation: it includes every sample acknowledged
// before. Safe from many threads at once; must not outlive its Storage.
class Querier {
 public:
  virtual ~Querier() = default;
  // Series with at least one sample that may lie in the range, sorted by labels, without
  // duplicates.
  virtual absl::StatusOr<std::unique_ptr<SeriesSet>> Select(const Selection& selection) const = 0;
  // Sorted and unique, over the series that match all of `selection.matchers` (none: all series).
  // The range is approximate: names of series without samples in it may be included.
  virtual absl::StatusOr<std::vector<std::string>> LabelNames(const Selection& selection) const = 0;
  virtual absl::StatusOr<std::vector<std::string>> LabelValues(
      std::string_view name, const Selection& selection) const = 0;
};

}  // namespace lockstep
