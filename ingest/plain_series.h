// The plain form of a TimeSeries message, which is what senders write: all labels, then float samples
// with their fields in order. Read in place; of the labels only __name__ is looked for. Pure functions.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ingest/wire_bytes.h"
#include "model/labels.h"
#include "model/sample.h"
#include "model/series_key.h"

namespace lockstep {

inline constexpr uint8_t kLabelTag = WireTag(1, WireType::kLengthDelimited);
inline constexpr uint8_t kLabelNameTag = WireTag(1, WireType::kLengthDelimited);
inline constexpr uint8_t kLabelValueTag = WireTag(2, WireType::kLengthDelimited);

// Appends the samples and returns the labels, as views of the message. Anything else than the plain form,
// malformed or merely unusual: nullopt, and nothing is appended.
std::optional<WireLabels> ReadPlainSeries(std::string_view message, std::vector<Sample>& samples);

// Appends the labels of such a message, in their order there. False if one has another form than its name
// followed by its value; then `labels` is unspecified.
[[nodiscard]] bool ReadPlainLabels(std::string_view message, std::vector<LabelView>& labels);

}  // namespace lockstep
