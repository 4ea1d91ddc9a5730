// The plain form of a remote write 2.0 TimeSeries message, which is what senders write of a series without
// histograms, exemplars and start timestamps: references of labels, float samples, metadata. Read in place.
// Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/sample.h"

namespace lockstep {

// Those of one series; one with more is not plain.
struct PlainReferences {
  std::array<uint32_t, 256> numbers;
  size_t count = 0;
  std::span<const uint32_t> all() const { return {numbers.data(), count}; }
};

// By their references.
struct MetadataReferences {
  int32_t type = 0;
  uint32_t help = 0;
  uint32_t unit = 0;
  bool operator==(const MetadataReferences&) const = default;
};

// Overwrites `references` and `metadata` and appends the samples. Anything else than the plain form,
// malformed or merely unusual: false, and no sample is appended.
[[nodiscard]] bool ReadPlainSeriesV2(std::string_view message, PlainReferences& references,
                                     std::vector<Sample>& samples, MetadataReferences& metadata);

}  // namespace lockstep
