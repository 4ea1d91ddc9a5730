// Decodes TensorBoard's Event message: time, step and values. Pure function.
//
// Source: tensorflow/tensorflow, core/util/event.proto; tensorboard, compat/proto/summary.proto.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace lockstep::traces {

enum class SummaryKind : uint8_t {
  kSimple,     // a number
  kTensor,     // its plugin says what it means
  kHistogram,  // version 1; version 2 is a tensor
  kOther,      // image, audio
};

// Views point into the message.
struct SummaryValue {
  std::string_view tag;
  SummaryKind kind = SummaryKind::kOther;
  double simple_value = 0;
  std::string_view tensor;  // a TensorProto
  // The plugin: "scalars", "histograms", "text", ...; usually set only with a tag's first value.
  std::string_view plugin;
};

enum class EventKind : uint8_t {
  kSummary,
  kFileVersion,
  kSessionStart,  // the writer (re)started; its steps may begin before the last one read
  kOther,         // graphs, run metadata, log messages
};

struct EventMessage {
  EventKind kind = EventKind::kOther;
  double wall_time_s = 0;
  int64_t step = 0;
  std::string_view file_version;  // "brain.Event:2"
  std::vector<SummaryValue> values;
};

// Nothing if `data` is not such a message.
std::optional<EventMessage> ReadEventMessage(std::string_view data);

}  // namespace lockstep::traces
