// The catalogue's rows: names written by trainers and loggers, with their meanings. Data only.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace lockstep::logs {

// The origin of a name: the same word has different meanings in different logs.
enum class MetricSource : uint8_t {
  kGeneric,  // names chosen by users
  kLogged,   // passed by trainers to loggers: files, TensorBoard, W&B
  kMegatron,
  kMegatronTimers,  // no rows: every name is a phase, "x (min)" its minimum over ranks
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
  std::string_view written;  // "{i}" stands for a number, stored as label gpu
  std::string_view name;
  std::string_view unit;
  double scale = 1;
  std::string_view label = {};  // "": none
  std::string_view label_value = {};
};

std::span<const MetricRow> RowsOf(MetricSource source);

// Rows of RowsOf(): names in files written by loggers (logger_rows.cc).
std::span<const MetricRow> GenericRows();
std::span<const MetricRow> LoggedRows();

}  // namespace lockstep::logs
