// The catalogue's rows: the names that trainers and loggers write, and what each means. Data alone.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace lockstep::logs {

// Whose names: the same word means different things in different logs.
enum class MetricSource : uint8_t {
  kGeneric,  // names that people choose
  kLogged,   // what trainers hand to loggers: files, TensorBoard, W&B
  kMegatron,
  kMegatronTimers,  // without rows: every name is a phase, "x (min)" its lowest over the ranks
  kTorchtitan,
  kHuggingFace,
  kDeepspeed,
  kNanogpt,
  kWandbEvents,
  kMlflow,
  kNcclInspector,
  kNvrx,
};

struct MetricRow {
  std::string_view written;  // "{i}" stands for a number, which becomes the label gpu
  std::string_view name;
  std::string_view unit;
  double scale = 1;
  std::string_view label = {};  // "": none
  std::string_view label_value = {};
};

std::span<const MetricRow> RowsOf(MetricSource source);

}  // namespace lockstep::logs
