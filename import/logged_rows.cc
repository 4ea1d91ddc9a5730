#include "import/logged_rows.h"

#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::importer {
namespace {

// The largest integer up to which doubles are exact.
constexpr double kLargestWhole = 9007199254740992;

std::optional<int64_t> WholeOf(double value) {
  if (!(std::abs(value) <= kLargestWhole) || value != std::floor(value)) return std::nullopt;
  return static_cast<int64_t>(value);
}

}  // namespace

void LoggedRows::Begin(const Row& row) {
  record_ = traces::TraceRecord{};
  record_.step = row.step;
  record_.time_ms = row.time_ms;
  step_precedence_ = 0;
  values_.clear();
}

void LoggedRows::Add(logs::KeyCache& keys, std::string_view name, double value) {
  const logs::MetricKey* const key = keys.Find(name);
  if (key == nullptr) {
    ++report_.left_out;
    return;
  }
  if (key->role == logs::KeyRole::kNothing) return;
  const std::optional<int64_t> whole = WholeOf(value);
  if (key->role == logs::KeyRole::kStep && whole.has_value()) {
    if (key->step_precedence < step_precedence_) return;
    step_precedence_ = key->step_precedence;
    record_.step = whole;
    return;
  }
  const bool is_rank = whole.has_value() && *whole >= 0 &&
                       *whole <= std::numeric_limits<int32_t>::max() &&
                       key->role == logs::KeyRole::kRank;
  if (is_rank) {
    record_.rank = static_cast<int32_t>(*whole);
  } else {
    values_.push_back({key, value});
  }
}

absl::Status LoggedRows::End(const logs::LogHints& owner) {
  for (const Value& value : values_) {
    record_.metric = value.key->name;
    record_.unit = value.key->unit;
    record_.value = value.key->InUnit(value.value);
    record_.labels.clear();
    for (const auto& [name, text] : value.key->labels) record_.labels.push_back({name, text});
    batch_.Add(owner, record_);
  }
  return batch_.sample_count() >= kMaxRequestSamples ? Deliver() : absl::OkStatus();
}

void LoggedRows::AddInfo(const logs::LogHints& owner, std::string_view metric, int64_t time_ms,
                         std::vector<traces::TraceLabel> labels) {
  traces::TraceRecord record;
  record.metric = metric;
  record.value = 1;
  record.time_ms = time_ms;
  record.labels = std::move(labels);
  batch_.Add(owner, record);
}

absl::Status LoggedRows::Deliver() {
  LOCKSTEP_RETURN_IF_ERROR(
      sender_.Send(batch_.request(), {},
                   absl::StrFormat("samples after the first %d", report_.counts.samples())));
  batch_.Clear();
  return absl::OkStatus();
}

}  // namespace lockstep::importer
