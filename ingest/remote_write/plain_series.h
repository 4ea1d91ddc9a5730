// Decodes plain TimeSeries messages, the usual ones: all labels, then float samples with their
// fields in order. In place, looking only for __name__ among the labels. Pure functions.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ingest/remote_write/wire_bytes.h"
#include "model/labels.h"
#include "model/sample.h"
#include "model/series_key.h"

namespace lockstep {

inline constexpr uint8_t kLabelTag = WireTag(1, WireType::kLengthDelimited);
inline constexpr uint8_t kLabelNameTag = WireTag(1, WireType::kLengthDelimited);
inline constexpr uint8_t kLabelValueTag = WireTag(2, WireType::kLengthDelimited);

// Appends the samples and returns the labels as views of the message. For anything else, malformed
// or unusual, returns nullopt and appends nothing.
std::optional<WireLabels> ReadPlainSeries(std::string_view message, std::vector<Sample>& samples);

// Appends the labels of such a message in order. False if one is not a name followed by its value;
// then `labels` is unspecified.
[[nodiscard]] bool ReadPlainLabels(std::string_view message, std::vector<LabelView>& labels);

}  // namespace lockstep
