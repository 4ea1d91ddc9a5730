// Annotation: a note about a moment or an interval, usually of a training job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/labels.h"
#include "model/sample.h"

namespace lockstep::annotations {

// Limits on one annotation, in bytes and elements.
inline constexpr size_t kMaxIdBytes = 128;
inline constexpr size_t kMaxJobBytes = 1024;
inline constexpr size_t kMaxKindBytes = 64;
inline constexpr size_t kMaxTextBytes = 4096;
inline constexpr size_t kMaxTags = 16;
inline constexpr size_t kMaxTagBytes = 128;
inline constexpr size_t kMaxLabels = 16;
inline constexpr size_t kMaxLabelBytes = 512;  // of a name and its value together

inline constexpr std::string_view kDefaultKind = "note";
// What was begun and not ended is taken for ended after a day: whoever began it has died.
inline constexpr int64_t kMaxOpenMs = int64_t{24} * 3600 * 1000;
// A later time is a mistake, such as milliseconds in place of seconds.
inline constexpr int64_t kMaxAheadMs = int64_t{366} * 24 * 3600 * 1000;

struct Annotation {
  std::string job;  // "": not about one job
  std::string id;   // unique among those of the job
  std::string kind = std::string(kDefaultKind);
  std::string text;
  int64_t start_ms = 0;
  std::optional<int64_t> end_ms;  // equal to start_ms for a moment; empty: not ended
  std::optional<int64_t> first_step;
  std::optional<int64_t> last_step;
  std::vector<std::string> tags;
  LabelSet labels;  // without the job

  friend bool operator==(const Annotation&, const Annotation&) = default;
};

// The time that it covers. Without an end it lasts until `now_ms`, but no longer than kMaxOpenMs.
TimeRange TimeOf(const Annotation& annotation, int64_t now_ms);

// An estimate of the memory that it takes.
int64_t BytesOf(const Annotation& annotation);

// A request's members; what is empty is left as it is.
struct AnnotationChange {
  std::string job;
  std::string id;
  std::optional<std::string> kind{};
  std::optional<std::string> text{};
  std::optional<int64_t> start_ms{};
  std::optional<int64_t> end_ms{};
  std::optional<int64_t> first_step{};
  std::optional<int64_t> last_step{};
  std::optional<std::vector<std::string>> tags{};
  std::optional<LabelSet> labels{};
};

// Applies the change to `known`, or makes a new annotation of it if null: at `now_ms` if it has no
// time. A repeated request and requests in another order have the same result. Fails with
// kInvalidArgument, which says what to send instead. Precondition: change.id is not empty.
absl::StatusOr<Annotation> Apply(const AnnotationChange& change, const Annotation* known,
                                 int64_t now_ms);

}  // namespace lockstep::annotations
