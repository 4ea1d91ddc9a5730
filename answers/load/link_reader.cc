#include "answers/load/link_reader.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "answers/load/series_parts.h"
#include "answers/load/series_roles.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/string_map.h"
#include "model/matcher.h"
#include "model/remembered_matcher.h"

namespace lockstep::answers {
namespace {

using training::NetworkLink;

constexpr std::array<std::string_view, 6> kHostLabels = {"Hostname", "hostname", "host",
                                                         "node",     "nodename", "instance"};

// Strips port and domain: "node-3.cluster:9100" becomes "node-3". Leaves IP addresses unchanged.
std::string_view ShortName(std::string_view host) {
  host = host.substr(0, host.find(':'));
  const bool is_address = host.find_first_not_of("0123456789.") == std::string_view::npos;
  return is_address ? host : host.substr(0, host.find('.'));
}

class LinkReader {
 public:
  explicit LinkReader(const training::Job& job) {
    for (const training::RankPlace& place : job.ranks) {
      if (!place.host.empty()) hosts_[std::string(ShortName(place.host))] = place.host;
    }
  }

  bool KnowsHosts() const { return !hosts_.empty(); }

  // Thread-safe.
  absl::Status Take(SeriesSet& series, SampleColumns& samples, QueryBudget& budget) {
    const std::optional<LinkSeries> said = LinkSeriesOf(series.labels());
    const std::string* const host = HostOf(series.labels());
    if (!said.has_value() || host == nullptr) return absl::OkStatus();
    samples.Clear();
    LOCKSTEP_RETURN_IF_ERROR(series.Read(samples));
    LOCKSTEP_RETURN_IF_ERROR(budget.Charge(static_cast<int64_t>(samples.size())));
    ToRole(said->name, samples);
    const std::string device(series.labels().Get("device"));
    const std::string port(series.labels().Get("port"));
    const MutexLock lock(mutex_);
    NetworkLink& link = links_[{*host, said->kind, device, port}];
    link.kind = said->kind;
    link.host = *host;
    link.device = device;
    training::CounterSeries& counter = link[said->role];
    // With two series for one counter, such as from two exporters, the first is enough.
    if (counter.empty()) counter = {std::move(samples.timestamps_ms), std::move(samples.values)};
    return absl::OkStatus();
  }

  std::vector<NetworkLink> Links() {
    const MutexLock lock(mutex_);
    std::vector<NetworkLink> links;
    for (auto& [key, link] : links_) links.push_back(std::move(link));
    return links;
  }

 private:
  const std::string* HostOf(const LabelSet& labels) const {
    for (const std::string_view name : kHostLabels) {
      const std::string_view value = labels.Get(name);
      if (value.empty()) continue;
      const auto host = hosts_.find(ShortName(value));
      if (host != hosts_.end()) return &host->second;
    }
    return nullptr;
  }

  StringMap<std::string> hosts_;  // the ranks' host names by short name
  Mutex mutex_;
  std::map<std::tuple<std::string, training::LinkKind, std::string, std::string>, NetworkLink>
      links_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace

absl::StatusOr<std::vector<NetworkLink>> ReadLinks(const training::Job& job, const TimeRange& range,
                                                   const LoadContext& context) {
  LinkReader reader(job);
  if (!reader.KnowsHosts()) return std::vector<NetworkLink>();
  LOCKSTEP_ASSIGN_OR_RETURN(Matcher names, RememberedRegexMatcher(kMetricName, LinkNames()));
  const std::vector<Matcher> matchers = {std::move(names)};
  LOCKSTEP_RETURN_IF_ERROR(ForEachSeries({matchers, range, &context.budget}, context,
                                         [&](SeriesSet& series, SampleColumns& samples) {
                                           return reader.Take(series, samples, context.budget);
                                         }));
  return reader.Links();
}

}  // namespace lockstep::answers
