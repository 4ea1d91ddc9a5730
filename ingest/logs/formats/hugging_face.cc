#include "ingest/logs/formats/hugging_face.h"

#include <algorithm>

namespace lockstep::logs {

RecordKind KindOfHuggingFaceRecord(std::span<const LogValue> values) {
  const auto has = [values](const auto& is) {
    return std::ranges::any_of(values,
                               [&is](const LogValue& value) { return is(value.key->written); });
  };
  if (has([](const std::string& name) { return name == "loss"; })) return RecordKind::kStep;
  if (has([](const std::string& name) { return name.starts_with("eval_"); })) {
    return RecordKind::kEvaluation;
  }
  const bool is_summary =
      has([](const std::string& name) { return name == "train_runtime" || name == "total_flos"; });
  return is_summary ? RecordKind::kSummary : RecordKind::kStep;
}

}  // namespace lockstep::logs
