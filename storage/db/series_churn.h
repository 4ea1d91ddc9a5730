// SeriesChurn: how many series appeared and left in the last ten minutes, hour and day, by job and metric.
//
// Each span is a ring of buckets: the one of now, which is not full, and as many as make up the span.
//
//   ten minutes  11 of a minute        hour  7 of ten minutes        day  25 of an hour
//
// A job's metric that saw any of it within a day takes 344 bytes and its names; at most kMaxFamilies do, so a
// shard has at most about 2 MiB of this. What is beyond is counted without a name. Begins with nothing at
// each start.
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

  // Everything that is added from now on happened then. Times before the last one count as the last.
  void Turn(int64_t now_ms);
  void AddAppeared(std::string_view job, std::string_view metric, uint32_t count);
  void AddLeft(std::string_view job, std::string_view metric, uint32_t count);

  int64_t since_ms() const { return since_ms_; }
  // Calls visit(job, metric, count) for all that there was in the span that ends at `now_ms`; what is
  // without a name has "" for both.
  using Visit = absl::FunctionRef<void(std::string_view job, std::string_view metric,
                                       const ChurnCount& count)>;
  void ForEach(size_t span, int64_t now_ms, Visit visit) const;

 private:
  struct Ring {
    int64_t bucket_ms;
    size_t first;  // among all buckets
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
  std::array<int64_t, kChurnSpanCount> newest_{};  // bucket of each ring
  bool is_turned_ = false;
  absl::flat_hash_map<Name, std::unique_ptr<Family>> families_;
  Family others_;
};

}  // namespace lockstep
