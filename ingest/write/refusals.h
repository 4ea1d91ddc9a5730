// Refusals: what was not stored of one write request, and why. Counts everything, and describes the
// first few cases. Plain data, not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/write/ingest_stats.h"
#include "model/labels.h"

namespace lockstep {

class Refusals {
 public:
  static constexpr size_t kMaxTold = 20;

  // `labels` may be invalid in any way. `why` is one clause.
  void Add(RejectReason reason, uint64_t sample_count, std::span<const LabelView> labels,
           std::string_view why);

  // Likewise, for the part of the request at `place`: "line 3".
  void AddAt(std::string_view place, RejectReason reason, uint64_t sample_count,
             std::string_view why);

  // Adds the refusals of `other`, from the same request.
  void Merge(const Refusals& other);

  bool empty() const { return count_ == 0; }
  // The number of Add() calls.
  uint64_t count() const { return count_; }
  uint64_t sample_count() const { return sample_count_; }
  const std::array<uint64_t, kRejectReasonCount>& samples_by_reason() const {
    return samples_by_reason_;
  }
  // For people, in several lines: the count, the first cases with reasons, "... and N more".
  std::string ToString() const;

 private:
  void Count(RejectReason reason, uint64_t sample_count);

  uint64_t count_ = 0;
  uint64_t sample_count_ = 0;
  std::array<uint64_t, kRejectReasonCount> samples_by_reason_{};
  std::vector<std::string> told_;
};

// {name="value",...} in the given order, cut after a few hundred bytes; unprintable bytes become
// \xNN.
std::string DescribeLabels(std::span<const LabelView> labels);

// A sender's text in quotes, cut and escaped likewise.
std::string DescribeText(std::string_view text);

}  // namespace lockstep
