#include "scrape/target.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/string_map.h"
#include "base/text/url.h"
#include "query/promql/parser/literal.h"
#include "query/promql/parser/parser.h"

namespace lockstep::scrape {
namespace {

constexpr std::string_view kAddress = "__address__";
constexpr std::string_view kScheme = "__scheme__";
constexpr std::string_view kMetricsPath = "__metrics_path__";
constexpr std::string_view kInterval = "__scrape_interval__";
constexpr std::string_view kTimeout = "__scrape_timeout__";
constexpr std::string_view kParamPrefix = "__param_";
constexpr std::string_view kInstance = "instance";
// How many dropped targets to list without keep_dropped_targets.
constexpr size_t kMaxKeptDropped = 10'000;

void SetIfMissing(LabelSetBuilder& labels, std::string_view name, std::string_view value) {
  if (labels.Get(name).empty()) labels.Set(name, value);
}

LabelSet DiscoveredLabels(const ScrapeConfig& config, const TargetGroup& group,
                          const std::string& address) {
  LabelSetBuilder labels(group.labels);
  labels.Set(kAddress, address);
  SetIfMissing(labels, "job", config.job_name);
  SetIfMissing(labels, kInterval, promql::FormatDurationMs(config.interval.count()));
  SetIfMissing(labels, kTimeout, promql::FormatDurationMs(config.timeout.count()));
  SetIfMissing(labels, kMetricsPath, config.metrics_path);
  SetIfMissing(labels, kScheme, config.scheme);
  for (const auto& [name, values] : config.params) {
    if (!values.empty()) SetIfMissing(labels, std::string(kParamPrefix) + name, values.front());
  }
  return labels.Build();
}

// "?a=b&a=c", or nothing. The labels contain the first value of each parameter.
std::string QueryOf(const ScrapeConfig& config, const LabelSet& labels) {
  std::map<std::string, std::vector<std::string>> params(config.params.begin(),
                                                         config.params.end());
  for (const LabelView& label : labels) {
    if (!label.name.starts_with(kParamPrefix)) continue;
    auto& values = params[std::string(label.name.substr(kParamPrefix.size()))];
    if (values.empty()) values.emplace_back();
    values.front() = label.value;
  }
  std::string query;
  for (const auto& [name, values] : params) {
    for (const std::string& value : values) {
      query += query.empty() ? '?' : '&';
      query += QueryEncode(name) + "=" + QueryEncode(value);
    }
  }
  return query;
}

absl::StatusOr<milliseconds> DurationOf(const LabelSetBuilder& labels, std::string_view name) {
  const std::string_view text = labels.Get(name);
  const absl::StatusOr<int64_t> duration_ms = promql::ParseDurationMs(text);
  if (duration_ms.ok() && *duration_ms > 0) return milliseconds(*duration_ms);
  return absl::InvalidArgumentError(
      absl::StrFormat("label %s: \"%s\" is not a duration above 0", name, text));
}

LabelSet PublicLabels(const LabelSet& labels) {
  std::vector<LabelView> kept;
  for (const LabelView& label : labels) {
    if (!label.name.starts_with("__")) kept.push_back(label);
  }
  return LabelSet::OfSorted(kept);
}

// Null if relabelling drops it.
absl::StatusOr<std::shared_ptr<const Target>> MakeTarget(
    const std::shared_ptr<const ScrapeConfig>& config, const LabelSet& discovered) {
  auto target = std::make_shared<Target>();
  target->config = config;
  target->discovered_labels = discovered;
  LabelSetBuilder labels(discovered);
  if (!Relabel(config->relabel_rules, labels)) return std::shared_ptr<const Target>();
  const std::string address(labels.Get(kAddress));
  if (address.empty()) return absl::InvalidArgumentError("the target has no address");
  if (address.find('/') != std::string::npos) {
    return absl::InvalidArgumentError(absl::StrFormat("\"%s\" is not a host with a port", address));
  }
  LOCKSTEP_ASSIGN_OR_RETURN(target->interval, DurationOf(labels, kInterval));
  LOCKSTEP_ASSIGN_OR_RETURN(target->timeout, DurationOf(labels, kTimeout));
  if (target->timeout > target->interval) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the scrape timeout of %d ms is longer than the interval of %d ms",
                        target->timeout.count(), target->interval.count()));
  }
  SetIfMissing(labels, kInstance, address);
  const LabelSet all = labels.Build();
  target->labels = PublicLabels(all);
  const std::string_view path = all.Get(kMetricsPath);
  target->url = absl::StrFormat("%s://%s%s%s%s", all.Get(kScheme), address,
                                path.starts_with('/') ? "" : "/", path, QueryOf(*config, all));
  return std::shared_ptr<const Target>(std::move(target));
}

// As in Prometheus, none of them is scraped then.
void RefuseTooMany(const ScrapeConfig& config, TargetList& list) {
  const uint64_t limit = config.limits.targets;
  if (limit == 0 || list.active.size() <= limit) return;
  for (auto& target : list.active) {
    Target refused = *target;
    refused.refusal = absl::StrFormat("target_limit exceeded: %d targets are more than %d",
                                      list.active.size(), limit);
    target = std::make_shared<const Target>(std::move(refused));
  }
}

}  // namespace

TargetList MakeTargets(const std::shared_ptr<const ScrapeConfig>& config,
                       const std::vector<TargetGroup>& groups) {
  TargetList list;
  StringSet keys;
  const uint64_t kept = config->limits.kept_dropped_targets;
  const uint64_t max_kept = kept == 0 ? kMaxKeptDropped : std::min<uint64_t>(kept, kMaxKeptDropped);
  for (const TargetGroup& group : groups) {
    for (const std::string& address : group.addresses) {
      const LabelSet discovered = DiscoveredLabels(*config, group, address);
      auto target = MakeTarget(config, discovered);
      if (!target.ok()) {
        list.errors.push_back(
            absl::StrFormat("%s: %s: %s", group.source, address, Message(target.status())));
      } else if (*target == nullptr) {
        ++list.dropped_count;
        if (list.dropped.size() < max_kept) list.dropped.push_back(discovered);
      } else if (keys.insert((*target)->Key()).second) {
        list.active.push_back(*std::move(target));
      }
    }
  }
  RefuseTooMany(*config, list);
  return list;
}

}  // namespace lockstep::scrape
