#include "ingest/remote_write/plain_series.h"

#include <cstring>

#include "ingest/remote_write/wire_bytes.h"

namespace lockstep {
namespace {

constexpr uint8_t kSampleTag = WireTag(2, WireType::kLengthDelimited);

// Whether the label message of `size` bytes is the metric name.
bool IsMetricName(const uint8_t* label, size_t size) {
  constexpr char kField[] = "\x0a\x08__name__";
  constexpr size_t kFieldBytes = sizeof(kField) - 1;
  return size >= kFieldBytes && std::memcmp(label, kField, kFieldBytes) == 0;
}

std::string_view Between(const uint8_t* begin, const uint8_t* end) {
  return TextOf(WireBytes{begin, end});
}

// Takes all labels. Nothing if one is truncated.
std::optional<WireLabels> TakeLabels(WireBytes& in) {
  const uint8_t* const begin = in.at;
  WireBytes name{nullptr, nullptr};
  const auto note = [&name](const uint8_t* label, WireBytes message) {
    if (name.at == nullptr && IsMetricName(message.at, message.size())) name = {label, message.end};
  };
  // At least two bytes remain, so a tag and a one-byte length need no bounds check.
  while (in.size() >= 2 && in.at[0] == kLabelTag && in.at[1] < 0x80 && in.size() - 2 >= in.at[1]) {
    const uint8_t* const label = in.at;
    in.at += 2 + in.at[1];
    note(label, {label + 2, in.at});
  }
  WireBytes part{};
  while (in.StartsWith(kLabelTag)) {
    const uint8_t* const label = in.at++;
    if (!TakeMessage(in, part)) return std::nullopt;
    note(label, part);
  }
  if (name.at == nullptr) name = {in.at, in.at};
  return WireLabels{Between(begin, name.at), TextOf(name), Between(name.end, in.at)};
}

}  // namespace

std::optional<WireLabels> ReadPlainSeries(std::string_view message, std::vector<Sample>& samples) {
  WireBytes in = WireBytes::Of(message);
  const std::optional<WireLabels> labels = TakeLabels(in);
  if (!labels.has_value()) return std::nullopt;
  WireBytes part{};
  const size_t sample_count = samples.size();
  while (!in.empty()) {
    const bool is_sample = *in.at++ == kSampleTag && TakeMessage(in, part);
    if (!is_sample || !TakeSample(part, samples.emplace_back())) {
      samples.resize(sample_count);
      return std::nullopt;
    }
  }
  return labels;
}

bool ReadPlainLabels(std::string_view message, std::vector<LabelView>& labels) {
  WireBytes in = WireBytes::Of(message);
  while (in.StartsWith(kLabelTag)) {
    ++in.at;
    WireBytes label{}, name{}, value{};
    const bool is_plain = TakeMessage(in, label) && TakeField(label, kLabelNameTag, name) &&
                          TakeField(label, kLabelValueTag, value) && label.empty();
    if (!is_plain) return false;
    labels.push_back({TextOf(name), TextOf(value)});
  }
  return true;
}

}  // namespace lockstep
