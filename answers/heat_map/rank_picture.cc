#include "answers/heat_map/rank_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "absl/strings/str_format.h"
#include "answers/heat_map/time_bins.h"
#include "answers/load/series_roles.h"
#include "base/status.h"
#include "catalogue/metric_names.h"
#include "model/matcher.h"
#include "model/remembered_matcher.h"
#include "training/devices/step_axis.h"
#include "training/episodes/excess.h"
#include "training/heat_map.h"
#include "training/stragglers/own_time.h"

namespace lockstep::answers {
namespace {

using catalogue::Role;
using training::RankMatrix;

constexpr std::string_view kPhasePrefix = "phase:";

struct NamedMetric {
  std::string_view name;
  std::string_view unit;
};

struct LinkMetric {
  std::string_view name;
  Role role;
};

constexpr std::array kLinkMetrics = {
    LinkMetric{"nic_received_bytes_per_second", Role::kNicReceiveBytesTotal},
    LinkMetric{"nic_sent_bytes_per_second", Role::kNicTransmitBytesTotal},
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

RankMatrix PerStep(const LoadedJob& job, Role role) {
  if (job.devices.empty() || job.steps.size() == 0) return {};
  const double factor = catalogue::ShownNameOf(role).factor;
  RankMatrix values(job.job.ranks.size(), job.steps.size());
  for (size_t row = 0; row < values.rows(); ++row) {
    const std::vector<double> means = training::MeanPerStep(job.devices[row][role], job.steps);
    std::ranges::transform(means, values.Row(row).begin(),
                           [factor](double mean) { return mean / factor; });
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

// Whether there are interface counters for any host; their series do not name the job.
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
      return PictureMetric{std::string(name), "bytes/s", {}, metric.role};
    }
  }
  if (name.starts_with(kPhasePrefix)) return PictureMetric{std::string(name), "seconds", {}, {}};
  const LabelSet labels = LabelSet::Of({{kMetricName, name}});
  const auto device = DeviceRoleOf(labels);
  if (!device.has_value()) return std::nullopt;
  return PictureMetric{std::string(name), "", device->role, {}};
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
      const double factor = catalogue::ShownNameOf(*metric.device).factor;
      for (size_t i = 0; i < series.value.size(); ++i) {
        reduced.Add(row, series.timestamp_ms[i], series.value[i] / factor);
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
    const auto known = RoleOf(labels);
    if (!known.has_value()) continue;
    if (IsDeviceRole(known->role)) metrics.push_back(name);
    if (known->role == Role::kTrainStep) metrics.emplace_back("step_seconds");
    if (known->role == Role::kTrainLoss) metrics.emplace_back("loss");
    if (known->role == Role::kTrainGradNorm) metrics.emplace_back("grad_norm");
    if (known->role == Role::kGpuTorchMemoryAllocatedBytes) {
      metrics.emplace_back("memory_allocated_bytes");
    }
    if (known->role == Role::kTrainPhaseSeconds && !known->part.empty()) add_phase(known->part);
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
