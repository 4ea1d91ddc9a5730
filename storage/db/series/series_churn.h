// SeriesChurn: how many series appeared and left in the last ten minutes, hour and day, by job and
// metric.
//
// Each span is a ring of buckets: the current one, which is not complete, and enough others to make
// up the span.
//
//   ten minutes  11 of a minute        hour  7 of ten minutes        day  25 of an hour
//
// A metric of a job with changes within a day takes 344 bytes plus its names. At most kMaxFamilies
// are kept, so a shard uses at most about 2 MiB; the rest is counted without names. The counts
// start at zero at each start.
//
// Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "storage/cardinality.h"

namespace lockstep {

class SeriesChurn {
 public:
  static constexpr size_t kMaxFamilies = 4096;

  explicit SeriesChurn(int64_t since_ms) : since_ms_(since_ms) { Turn(since_ms); }

  // Everything added from now on is counted at this time. A time before the last one counts as the
  // last one.
  void Turn(int64_t now_ms);
  void AddAppeared(std::string_view job, std::string_view metric, uint32_t count);
  void AddLeft(std::string_view job, std::string_view metric, uint32_t count);

  int64_t since_ms() const { return since_ms_; }
  // Calls visit(job, metric, count) for all changes in the span that ends at `now_ms`; changes
  // without a name have "" for both.
  using Visit = absl::FunctionRef<void(std::string_view job, std::string_view metric,
                                       const ChurnCount& count)>;
  void ForEach(size_t span, int64_t now_ms, Visit visit) const;

 private:
  struct Ring {
    int64_t bucket_ms;
    size_t first;  // over all buckets
    size_t size;
  };
  static constexpr std::array<Ring, kChurnSpanCount> kRings = {
      Ring{60'000, 0, 11}, Ring{600'000, 11, 7}, Ring{3'600'000, 18, 25}};
  static constexpr size_t kBucketCount = 43;

  struct Family {
    std::array<uint32_t, kBucketCount> appeared{};
    std::array<uint32_t, kBucketCount> left{};
  };
  using Name = std::pair<std::string, std::string>;  // job, metric

  static size_t PlaceOf(const Ring& ring, int64_t bucket);
  ChurnCount CountOf(const Family& family, size_t span, int64_t now_ms) const;
  void Clear(size_t place);
  void ForgetUnused();
  Family& FamilyOf(std::string_view job, std::string_view metric);

  const int64_t since_ms_;
  std::array<int64_t, kChurnSpanCount> newest_{};  // current bucket of each ring
  bool is_turned_ = false;
  absl::flat_hash_map<Name, std::unique_ptr<Family>> families_;
  Family others_;
};

}  // namespace lockstep
