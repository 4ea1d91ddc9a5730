#include "ingest/plain_series.h"

#include "ingest/wire_bytes.h"

namespace lockstep {
namespace {

constexpr uint8_t kSampleTag = WireTag(2, WireType::kLengthDelimited);

}  // namespace

std::optional<std::string_view> ReadPlainSeries(std::string_view message,
                                                std::vector<Sample>& samples) {
  WireBytes in = WireBytes::Of(message);
  const uint8_t* const begin = in.at;
  WireBytes part{};
  // Two bytes ahead of the end, a tag and a length of one byte can be read without a look at the end.
  while (in.size() >= 2 && in.at[0] == kLabelTag && in.at[1] < 0x80 && in.size() - 2 >= in.at[1]) {
    in.at += 2 + in.at[1];
  }
  while (in.StartsWith(kLabelTag)) {
    ++in.at;
    if (!TakeMessage(in, part)) return std::nullopt;
  }
  const std::string_view labels = message.substr(0, static_cast<size_t>(in.at - begin));
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
