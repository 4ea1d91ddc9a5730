#include "answers/rank_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "absl/strings/str_format.h"
#include "answers/series_roles.h"
#include "answers/time_bins.h"
#include "base/status.h"
#include "model/matcher.h"
#include "model/remembered_matcher.h"
#include "training/excess.h"
#include "training/heat_map.h"
#include "training/own_time.h"
#include "training/step_axis.h"

namespace lockstep::answers {
namespace {

using training::RankMatrix;

constexpr std::string_view kPhasePrefix = "phase:";

struct NamedMetric {
  std::string_view name;
  std::string_view unit;
};

struct LinkMetric {
  std::string_view name;
  training::LinkCounter counter;
};

constexpr std::array kLinkMetrics = {
    LinkMetric{"nic_received_bytes_per_second", training::LinkCounter::kReceivedBytes},
    LinkMetric{"nic_sent_bytes_per_second", training::LinkCounter::kSentBytes},
};

constexpr std::array kStepMetrics = {
    NamedMetric{"step_seconds", "seconds"}, NamedMetric{"own_seconds", "seconds"},
    NamedMetric{"lateness", "ratio"},       NamedMetric{"loss", ""},
    NamedMetric{"grad_norm", ""},           NamedMetric{"memory_allocated_bytes", "bytes"},
};

RankMatrix Lateness(const LoadedJob& job) {
  const training::OwnTime own = training::StrongestOwnTime(job.steps);
  if (own.seconds.empty()) return {};
  const std::vector<std::vector<size_t>> groups = training::PeerGroups(job.job);
  return training::ExcessOverPeers({own.seconds, groups, own.step_seconds},
                                   training::RankMask(own.seconds.rows(), own.seconds.columns()));
}

RankMatrix PerStep(const LoadedJob& job, training::DeviceCounter counter) {
  if (job.devices.empty() || job.steps.size() == 0) return {};
  RankMatrix values(job.job.ranks.size(), job.steps.size());
  for (size_t row = 0; row < values.rows(); ++row) {
    const std::vector<double> means = training::MeanPerStep(job.devices[row][counter], job.steps);
    std::ranges::copy(means, values.Row(row).begin());
  }
  return values;
}

RankMatrix ValuesOfSteps(const LoadedJob& job, const PictureMetric& metric) {
  if (metric.device.has_value()) return PerStep(job, *metric.device);
  if (metric.name == "step_seconds") return job.steps.step_seconds;
  if (metric.name == "own_seconds") return training::StrongestOwnTime(job.steps).seconds;
  if (metric.name == "lateness") return Lateness(job);
  if (metric.name == "loss") return job.steps.loss;
  if (metric.name == "grad_norm") return job.steps.gradient_norm;
  if (metric.name == "memory_allocated_bytes") return job.steps.memory_allocated_bytes;
  for (const training::PhaseColumn& phase : job.steps.phases) {
    if (metric.name == absl::StrFormat("%s%s", kPhasePrefix, phase.name)) return phase.seconds;
  }
  return {};
}

// Whether interfaces of any hosts are counted: their series do not know the job.
absl::StatusOr<bool> AnyLinks(const TimeRange& time, const LoadContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(Matcher links, RememberedRegexMatcher(kMetricName, LinkNames()));
  const std::vector<Matcher> matchers = {std::move(links)};
  LOCKSTEP_ASSIGN_OR_RETURN(const auto set,
                            context.querier.Select({matchers, time, &context.budget}));
  return set->size() > 0;
}

}  // namespace

std::optional<PictureMetric> PictureMetricOf(std::string_view name) {
  for (const NamedMetric& metric : kStepMetrics) {
    if (metric.name == name) return PictureMetric{std::string(name), metric.unit, {}, {}};
  }
  for (const LinkMetric& metric : kLinkMetrics) {
    if (metric.name == name) {
      return PictureMetric{std::string(name), "bytes/s", {}, metric.counter};
    }
  }
  if (name.starts_with(kPhasePrefix)) return PictureMetric{std::string(name), "seconds", {}, {}};
  const auto device = DeviceSeriesOf(LabelSet::Of({{kMetricName, name}}));
  if (!device.has_value()) return std::nullopt;
  return PictureMetric{std::string(name), "", device->counter, {}};
}

JobNeeds NeedsOf(const PictureMetric& metric) {
  JobNeeds needs;
  if (metric.device.has_value()) needs.devices.set(static_cast<size_t>(*metric.device));
  needs.links = metric.link.has_value();
  needs.loss = metric.name == "loss" || metric.name == "grad_norm";
  needs.memory = metric.name == "memory_allocated_bytes";
  needs.phases = metric.name == "own_seconds" || metric.name == "lateness" ||
                 metric.name.starts_with(kPhasePrefix);
  return needs;
}

RankPicture PictureOverSteps(const LoadedJob& job, const PictureMetric& metric, size_t bins) {
  RankPicture picture;
  const RankMatrix values = ValuesOfSteps(job, metric);
  if (values.empty()) return picture;
  training::HeatMap map = training::ReduceToBins(values, bins);
  for (size_t i = 0; i < map.first_column.size(); ++i) {
    const size_t first = map.first_column[i];
    const size_t last =
        (i + 1 < map.first_column.size() ? map.first_column[i + 1] : values.columns()) - 1;
    picture.bins.push_back({{training::StepBeginMs(job.steps, first), job.steps.end_ms[last]},
                            job.steps.step[first],
                            job.steps.step[last]});
  }
  picture.cells = std::move(map.cells);
  return picture;
}

RankPicture PictureOverTime(const LoadedJob& job, const PictureMetric& metric, size_t bins) {
  const RankMatrix values = metric.device.has_value() ? RankMatrix() : ValuesOfSteps(job, metric);
  if (values.empty() && (job.devices.empty() || !metric.device.has_value())) return {};
  TimeBins reduced(job.time, job.job.ranks.size(), bins);
  for (size_t row = 0; row < job.job.ranks.size(); ++row) {
    if (metric.device.has_value()) {
      const training::CounterSeries& series = job.devices[row][*metric.device];
      for (size_t i = 0; i < series.value.size(); ++i) {
        reduced.Add(row, series.timestamp_ms[i], series.value[i]);
      }
    }
    for (size_t n = 0; n < values.columns(); ++n) {
      reduced.Add(row, job.steps.end_ms[n], values(row, n));
    }
  }
  return {.bins = reduced.bins(), .cells = reduced.TakeCells()};
}

absl::StatusOr<std::vector<std::string>> PictureMetricsOf(const JobQuery& query,
                                                          const LoadContext& context) {
  const std::vector<Matcher> matchers = {Matcher::Equal("job", query.name)};
  const Selection selection{matchers, query.time, &context.budget};
  LOCKSTEP_ASSIGN_OR_RETURN(const auto names, context.querier.LabelValues(kMetricName, selection));
  LOCKSTEP_ASSIGN_OR_RETURN(const auto phases, context.querier.LabelValues("phase", selection));
  std::vector<std::string> metrics;
  bool has_phases = false;
  LOCKSTEP_ASSIGN_OR_RETURN(const bool has_links, AnyLinks(query.time, context));
  if (has_links) {
    for (const LinkMetric& metric : kLinkMetrics) metrics.emplace_back(metric.name);
  }
  const auto add_phase = [&](std::string_view phase) {
    metrics.push_back(absl::StrFormat("%s%s", kPhasePrefix, phase));
    has_phases = true;
  };
  for (const std::string& phase : phases) add_phase(phase);
  for (const std::string& name : names) {
    const LabelSet labels = LabelSet::Of({{kMetricName, name}});
    if (DeviceSeriesOf(labels).has_value()) metrics.push_back(name);
    const auto said = StepSeriesOf(labels);
    if (!said.has_value()) continue;
    if (said->role == StepRole::kStep) metrics.emplace_back("step_seconds");
    if (said->role == StepRole::kLoss) metrics.emplace_back("loss");
    if (said->role == StepRole::kGradientNorm) metrics.emplace_back("grad_norm");
    if (said->role == StepRole::kMemoryAllocatedBytes) {
      metrics.emplace_back("memory_allocated_bytes");
    }
    if (said->role == StepRole::kPhaseSeconds && !said->phase.empty()) add_phase(said->phase);
  }
  if (has_phases) {
    metrics.emplace_back("own_seconds");
    metrics.emplace_back("lateness");
  }
  std::ranges::sort(metrics);
  metrics.erase(std::ranges::unique(metrics).begin(), metrics.end());
  return metrics;
}

}  // namespace lockstep::answers
