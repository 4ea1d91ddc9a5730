// A metric file of MLflow's file store: time in milliseconds, value, step. The name is in the path.
//
// Source: mlflow/mlflow, mlflow/store/tracking/file_store.py.
#include <array>
#include <optional>

#include "ingest/logs/formats/formats.h"
#include "ingest/logs/text/number_text.h"

namespace lockstep::logs {
namespace {

constexpr std::array kMlflowSources = {MetricSource::kMlflow, MetricSource::kGeneric,
                                       MetricSource::kLogged, MetricSource::kHuggingFace};
// The earliest plausible time in milliseconds: 2001.
constexpr int64_t kLeastTimeMs = 1'000'000'000'000;

struct MlflowPoint {
  int64_t time_ms;
  double value;
  int64_t step;
};

std::optional<MlflowPoint> PointOf(std::string_view text) {
  const auto time_ms = TakeInteger(text);
  if (!time_ms.has_value() || *time_ms < kLeastTimeMs || !TakePrefix(text, " "))
    return std::nullopt;
  const auto value = TakeNumber(text);
  if (!value.has_value() || !TakePrefix(text, " ")) return std::nullopt;
  const auto step = IntegerOf(text);
  if (!step.has_value()) return std::nullopt;
  return MlflowPoint{*time_ms, *value, *step};
}

class MlflowFile : public LogFormat {
 public:
  MlflowFile() : keys_(kMlflowSources) {}

  LineVerdict Parse(const LogLine& line, RecordWriter& out) override {
    if (Trim(line.text).empty()) return kIgnored;
    const auto point = PointOf(line.text);
    if (!point.has_value()) return Rejected("not \"milliseconds value step\"");
    const std::string& metric = out.hints().metric;
    out.Begin(line, RecordKind::kStep);
    out.set_time_ms(point->time_ms);
    out.set_step(point->step);
    out.Add(keys_.Find(metric.empty() ? "value" : metric), point->value);
    out.Emit();
    return kTaken;
  }

 private:
  KeyCache keys_;
};

}  // namespace

std::unique_ptr<LogFormat> NewMlflowFile() { return std::make_unique<MlflowFile>(); }

bool IsMlflowLine(std::string_view line) { return PointOf(line).has_value(); }

}  // namespace lockstep::logs
