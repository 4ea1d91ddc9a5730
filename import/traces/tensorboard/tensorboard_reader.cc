#include "import/traces/tensorboard/tensorboard_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <protozero/exception.hpp>
#include <utility>

#include "import/traces/records/trace_limits.h"
#include "import/traces/tensorboard/tensor_scalar.h"

namespace lockstep::traces {
namespace {

std::optional<int64_t> TimeMs(double wall_time_s) {
  // Times beyond the year 100000 or before 1970 are invalid.
  constexpr double kLastSecond = 3.1e12;
  if (!(wall_time_s > 0 && wall_time_s < kLastSecond)) return std::nullopt;
  return std::llround(wall_time_s * 1000);
}

// ReadTensorScalar() without exceptions: nothing for a malformed tensor, too.
std::optional<double> TensorScalar(std::string_view tensor) {
  try {
    return ReadTensorScalar(tensor);
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
}

}  // namespace

void TensorboardReader::Feed(std::string_view bytes, std::vector<TraceRecord>& records) {
  records_.Append(bytes);
  while (const auto record = records_.Next()) TakeEvent(*record, records);
}

void TensorboardReader::Finish() {
  if (records_.torn_bytes() > 0) problems_.Count("torn last record", records_.offset());
}

TensorboardReader::Plugin TensorboardReader::PluginOf(std::string_view name) {
  if (name == "scalars") return Plugin::kScalars;
  if (name == "histograms") return Plugin::kHistograms;
  return Plugin::kOther;
}

size_t TensorboardReader::tag_count() const {
  return static_cast<size_t>(std::count_if(tags_.begin(), tags_.end(),
                                           [](const auto& tag) { return tag.second.has_scalars; }));
}

void TensorboardReader::TakeEvent(const TfRecord& record, std::vector<TraceRecord>& out) {
  const auto event = ReadEventMessage(record.data);
  if (!event.has_value()) return problems_.Count("record that is not an event", record.offset);
  ++counts_.events;
  if (event->kind == EventKind::kOther) ++counts_.other_events;
  for (const SummaryValue& value : event->values) TakeValue(*event, value, record.offset, out);
}

TensorboardReader::Tag* TensorboardReader::FindOrAddTag(const SummaryValue& value,
                                                        uint64_t offset) {
  auto found = tags_.find(value.tag);
  if (found == tags_.end()) {
    if (value.tag.empty() || value.tag.size() > kMaxTagBytes) {
      problems_.Count("tag that is empty or too long", offset);
      return nullptr;
    }
    if (tags_.size() == kMaxTags) {
      problems_.Count("too many tags", offset);
      return nullptr;
    }
    found = tags_.emplace(std::string(value.tag), Tag{MeaningOfTag(value.tag)}).first;
  }
  if (!value.plugin.empty()) found->second.plugin = PluginOf(value.plugin);
  return &found->second;
}

void TensorboardReader::TakeValue(const EventMessage& event, const SummaryValue& value,
                                  uint64_t offset, std::vector<TraceRecord>& out) {
  Tag* const tag = FindOrAddTag(value, offset);
  if (tag == nullptr) return;
  std::optional<double> number;
  if (value.kind == SummaryKind::kSimple) number = value.simple_value;
  // Other plugins also store tensors of one number, which are not measurements.
  const bool may_be_scalar = tag->plugin == Plugin::kUnknown || tag->plugin == Plugin::kScalars;
  if (value.kind == SummaryKind::kTensor && may_be_scalar) {
    number = TensorScalar(value.tensor);
  }
  if (!number.has_value()) {
    const bool is_histogram =
        value.kind == SummaryKind::kHistogram || tag->plugin == Plugin::kHistograms;
    ++(is_histogram ? counts_.histograms : counts_.other_values);
    return;
  }
  ++counts_.scalars;
  tag->has_scalars = true;
  TraceRecord record;
  record.metric = tag->meaning.metric;
  record.written = value.tag;
  record.value = tag->meaning.InUnit(*number);
  record.unit = tag->meaning.unit;
  record.step = event.step;
  record.time_ms = TimeMs(event.wall_time_s);
  record.labels = tag->meaning.labels;
  out.push_back(std::move(record));
}

}  // namespace lockstep::traces
