#include "identity/registration.h"

#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::identity {
namespace {

absl::Status Check(const Registration& registration, int64_t from_ms) {
  if (registration.job.empty()) return absl::InvalidArgumentError("\"job\" is missing");
  const bool says_of_job = registration.world_size.has_value() || !registration.model.empty() ||
                           !registration.parallelism.empty();
  if (!registration.rank.has_value() && !says_of_job && !registration.exit_code.has_value()) {
    return absl::InvalidArgumentError(
        "\"rank\" or a field of the job (\"world_size\", \"model\", \"parallelism\", "
        "\"exit_code\") is required");
  }
  if (registration.alive_ms.has_value() && !registration.rank.has_value()) {
    return absl::InvalidArgumentError("\"alive\" requires \"rank\"");
  }
  if (registration.rank.has_value() && registration.world_size.has_value() &&
      *registration.rank >= *registration.world_size) {
    return absl::InvalidArgumentError(
        absl::StrFormat("rank %d is too large for a world of %d ranks", *registration.rank,
                        *registration.world_size));
  }
  if (registration.to_ms.has_value() && *registration.to_ms <= from_ms) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "\"to\" (%d ms) is not after \"from\" (%d ms)", *registration.to_ms, from_ms));
  }
  return absl::OkStatus();
}

// A name that PromQL accepts without quotes.
std::string LabelName(std::string_view prefix, std::string_view key) {
  std::string name(prefix);
  for (const char byte : key) {
    const bool is_plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                          (byte >= '0' && byte <= '9');
    name += is_plain ? byte : '_';
  }
  return name;
}

using Texts = std::vector<std::pair<std::string, std::string>>;

LabelSet ToLabels(const Texts& texts) {
  std::vector<LabelView> labels;
  labels.reserve(texts.size());
  for (const auto& [name, value] : texts) labels.push_back({name, value});
  return LabelSet::Of(std::move(labels));
}

// Whether it only says that a process is running, or how it ended, and not where it began.
bool IsOfProcessAlone(const Registration& registration) {
  const bool is_of_process =
      registration.exit_code.has_value() || registration.alive_ms.has_value();
  return is_of_process && !registration.from_ms.has_value();
}

Texts CommonLabels(std::string_view metric, const Registration& registration) {
  return {{std::string(kMetricName), std::string(metric)},
          {"job", registration.job},
          {"attempt", std::to_string(registration.attempt)}};
}

LabelSet RankLabels(const Registration& registration) {
  Texts labels = CommonLabels(kRankInfoMetric, registration);
  labels.emplace_back("rank", std::to_string(*registration.rank));
  labels.emplace_back("host", registration.seat.host);
  labels.emplace_back("gpu", registration.seat.gpu);
  labels.emplace_back("UUID", registration.seat.uuid);
  labels.emplace_back("gpu_model", registration.seat.model);
  for (size_t i = 0; i < kCoordinateNames.size(); ++i) {
    if (!registration.coordinates[i].has_value()) continue;
    labels.emplace_back(kCoordinateNames[i], std::to_string(*registration.coordinates[i]));
  }
  return ToLabels(labels);
}

// Labels of the rank's process, or of the job as a whole.
LabelSet ProcessLabels(std::string_view metric, const Registration& registration) {
  Texts labels = CommonLabels(metric, registration);
  if (registration.rank.has_value())
    labels.emplace_back("rank", std::to_string(*registration.rank));
  return ToLabels(labels);
}

LabelSet JobLabelsOf(const Registration& registration) {
  Texts labels = CommonLabels(kJobInfoMetric, registration);
  if (registration.world_size.has_value()) {
    labels.emplace_back("world_size", std::to_string(*registration.world_size));
  }
  for (const auto& [key, value] : registration.model) {
    labels.emplace_back(LabelName("model_", key), value);
  }
  for (const auto& [key, value] : registration.parallelism) {
    labels.emplace_back(LabelName("parallelism_", key), value);
  }
  return ToLabels(labels);
}

}  // namespace

absl::StatusOr<std::vector<InfoSeries>> SeriesOf(const Registration& registration, int64_t now_ms) {
  int64_t from_ms = registration.from_ms.value_or(now_ms);
  if (IsOfProcessAlone(registration)) from_ms = kAllTimes.min_ms;
  LOCKSTEP_RETURN_IF_ERROR(Check(registration, from_ms));
  std::vector<InfoSeries> series;
  if (registration.alive_ms.has_value()) {
    series.push_back(
        {ProcessLabels(kRankAliveMetric, registration), {{*registration.alive_ms, 1}}});
  }
  if (registration.exit_code.has_value()) {
    series.push_back(
        {ProcessLabels(kExitCodeMetric, registration),
         {{registration.to_ms.value_or(now_ms), static_cast<double>(*registration.exit_code)}}});
  }
  if (IsOfProcessAlone(registration)) return series;
  if (registration.rank.has_value()) {
    series.push_back({RankLabels(registration), {{from_ms, 1}}});
    if (registration.to_ms.has_value()) series.back().samples.push_back({*registration.to_ms, 0});
  }
  if (registration.world_size.has_value() || !registration.model.empty() ||
      !registration.parallelism.empty()) {
    series.push_back({JobLabelsOf(registration), {{from_ms, 1}}});
  }
  return series;
}

}  // namespace lockstep::identity
