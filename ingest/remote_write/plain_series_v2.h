// Decodes plain remote write 2.0 TimeSeries messages, the usual ones without histograms, exemplars
// and start timestamps: label references, float samples, metadata. In place. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/sample.h"

namespace lockstep {

// References to symbols.
struct MetadataReferences {
  int32_t type = 0;
  uint32_t help = 0;
  uint32_t unit = 0;
  bool operator==(const MetadataReferences&) const = default;
};

// Overwrites `metadata`, appends the samples, and returns the packed label references as a view of
// the message. For anything else, malformed or unusual, returns nothing and appends no sample.
std::optional<std::string_view> ReadPlainSeriesV2(std::string_view message,
                                                  std::vector<Sample>& samples,
                                                  MetadataReferences& metadata);

}  // namespace lockstep
