// The plain form of a remote write 2.0 TimeSeries message, which is what senders write of a series without
// histograms, exemplars and start timestamps: references of labels, float samples, metadata. Read in place.
// Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/sample.h"

namespace lockstep {

// By their references.
struct MetadataReferences {
  int32_t type = 0;
  uint32_t help = 0;
  uint32_t unit = 0;
  bool operator==(const MetadataReferences&) const = default;
};

// Overwrites `metadata`, appends the samples and returns the packed references of the labels, a view of the message.
// Anything else than the plain form, malformed or merely unusual: nothing, and no sample is appended.
std::optional<std::string_view> ReadPlainSeriesV2(std::string_view message,
                                                  std::vector<Sample>& samples,
                                                  MetadataReferences& metadata);

}  // namespace lockstep
