#include "training/devices/links.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "training/matrix/rank_matrix.h"
#include "training/matrix/statistics.h"

namespace lockstep::training {
namespace {

// A healthy link has one symbol error in hours. This rate hurts, since each costs a retransmission.
constexpr double kLeastErrorsPerS = 0.05;
// Receivers occasionally drop a packet when their host is busy.
constexpr double kLeastDropsPerS = 1.0;
// Far more than others and far more than before: when a switch restarts, all its links see bursts.
constexpr double kFarMore = 10.0;
constexpr double kLowerRate = 0.95;
// All links of a ring carry the same traffic, so half of it is much less.
constexpr double kLowerTraffic = 0.5;
constexpr double kAlikeTraffic = 0.8;
constexpr size_t kFewestAlike = 3;

struct ErrorRule {
  Role role;
  double least_per_s;
  std::string_view signal;
};

// The strongest evidence first: a link that went down also has errors.
constexpr ErrorRule kErrorRules[] = {
    {Role::kNicLinkDownedTotal, 0, "link_downed"},
    {Role::kNicLinkRecoveriesTotal, 0, "link_recoveries"},
    {Role::kNicSymbolErrorsTotal, kLeastErrorsPerS, "symbol_errors"},
    {Role::kNicRetransmitsTotal, kLeastErrorsPerS, "retransmits"},
    {Role::kNicTimeoutsTotal, kLeastErrorsPerS, "timeouts"},
    {Role::kNicOutOfSequenceTotal, kLeastErrorsPerS, "out_of_sequence"},
    {Role::kNicTransmitDiscardsTotal, kLeastDropsPerS, "send_discards"},
    {Role::kNicReceiveDropsTotal, kLeastDropsPerS, "receive_drops"},
};

// A link to compare: an interface of a host, or the NVLinks of a rank's GPU.
struct ComparedLink {
  NetworkLink link;
  std::vector<size_t> rows;
};

double PerSecond(const CounterSeries& counter, const TimeRange& time) {
  const double seconds = static_cast<double>(time.max_ms - time.min_ms) / 1000;
  return seconds > 0 ? IncreaseIn(counter, time) / seconds : kUnknown;
}

// A value per link, and the median over the links it is compared with; unknown if there are too
// few.
struct LinkValues {
  std::vector<double> own;
  std::vector<double> usual;
};

template <typename Measure>
LinkValues MeasureAll(const std::vector<ComparedLink>& links, Measure measure) {
  LinkValues measured;
  std::map<std::pair<LinkKind, std::string_view>, std::vector<double>> known;
  const auto key = [](const NetworkLink& link) {
    const bool is_named = link.kind == LinkKind::kEthernet;
    return std::pair(link.kind, is_named ? std::string_view(link.device) : std::string_view());
  };
  for (const ComparedLink& one : links) {
    measured.own.push_back(measure(one.link));
    if (!std::isnan(measured.own.back())) known[key(one.link)].push_back(measured.own.back());
  }
  std::map<std::pair<LinkKind, std::string_view>, double> usual;
  for (const auto& [which, values] : known) {
    usual[which] = values.size() < kFewestAlike ? kUnknown : Median(values);
  }
  for (const ComparedLink& one : links) {
    const auto found = usual.find(key(one.link));
    measured.usual.push_back(found == usual.end() ? kUnknown : found->second);
  }
  return measured;
}

LinkValues RatesOf(const std::vector<ComparedLink>& links, Role role, const TimeRange& time) {
  return MeasureAll(links, [&](const NetworkLink& link) { return PerSecond(link[role], time); });
}

using EvidenceOfLinks = std::vector<std::optional<Evidence>>;

void AddErrors(const std::vector<ComparedLink>& links, const TimeRange& time,
               const TimeRange& before, EvidenceOfLinks& evidence) {
  for (const ErrorRule& rule : kErrorRules) {
    const LinkValues now = RatesOf(links, rule.role, time);
    const LinkValues past = RatesOf(links, rule.role, before);
    for (size_t i = 0; i < links.size(); ++i) {
      const double own = now.own[i];
      if (evidence[i].has_value() || !(own > 0 && own >= rule.least_per_s)) continue;
      if (!(own > kFarMore * now.usual[i]) || own <= kFarMore * past.own[i]) continue;
      evidence[i] = {std::string(rule.signal), own, now.usual[i], "1/s", "rate"};
    }
  }
}

void AddLowerRates(const std::vector<ComparedLink>& links, const TimeRange& time,
                   EvidenceOfLinks& evidence) {
  const LinkValues rate = MeasureAll(links, [&](const NetworkLink& link) {
    return MeanIn(link[Role::kNicRateBytesPerSecond], time);
  });
  for (size_t i = 0; i < links.size(); ++i) {
    if (evidence[i].has_value() || !(rate.own[i] < kLowerRate * rate.usual[i])) continue;
    evidence[i] = {"link_rate", rate.own[i], rate.usual[i], "bytes/s", "negotiated rate"};
  }
}

void AddLowerTraffic(const std::vector<ComparedLink>& links, const TimeRange& time,
                     const TimeRange& before, EvidenceOfLinks& evidence) {
  const LinkValues now = RatesOf(links, Role::kNicTransmitBytesTotal, time);
  const LinkValues past = RatesOf(links, Role::kNicTransmitBytesTotal, before);
  for (size_t i = 0; i < links.size(); ++i) {
    const bool was_alike = past.own[i] >= kAlikeTraffic * past.usual[i];
    if (evidence[i].has_value() || !was_alike) continue;
    if (!(now.own[i] < kLowerTraffic * now.usual[i])) continue;
    evidence[i] = {"link_sent_bytes", now.own[i], now.usual[i], "bytes/s",
                   "bytes sent (normal before)"};
  }
}

std::vector<ComparedLink> Compared(const Job& job, std::span<const NetworkLink> links,
                                   std::span<const GpuCounters> devices) {
  std::vector<ComparedLink> compared;
  for (const NetworkLink& link : links) {
    ComparedLink one{link, {}};
    for (size_t row = 0; row < job.ranks.size(); ++row) {
      if (!link.host.empty() && job.ranks[row].host == link.host) one.rows.push_back(row);
    }
    if (!one.rows.empty()) compared.push_back(std::move(one));
  }
  for (size_t row = 0; row < devices.size(); ++row) {
    ComparedLink one{{LinkKind::kNvlink, job.ranks[row].host, "NVLink", {}}, {row}};
    one.link[Role::kNicSymbolErrorsTotal] = devices[row][Role::kGpuNvlinkCrcFlitErrorsTotal];
    one.link[Role::kNicRetransmitsTotal] = devices[row][Role::kGpuNvlinkReplayErrorsTotal];
    one.link[Role::kNicLinkRecoveriesTotal] = devices[row][Role::kGpuNvlinkRecoveryErrorsTotal];
    compared.push_back(std::move(one));
  }
  return compared;
}

std::string Words(const Job& job, const ComparedLink& link, std::string_view what) {
  const std::string whose = link.link.kind == LinkKind::kNvlink
                                ? absl::StrFormat("NVLink of rank %d", job.ranks[link.rows[0]].rank)
                                : absl::StrFormat("%s on %s", link.link.device, link.link.host);
  return absl::StrFormat("%s: %s, against the median of similar links", whose, what);
}

bool IsOfMost(const Job& job, const std::vector<LinkTrouble>& troubles) {
  std::vector<bool> is_behind(job.ranks.size());
  for (const LinkTrouble& trouble : troubles) {
    for (const size_t row : trouble.rows) is_behind[row] = true;
  }
  const auto count = std::count(is_behind.begin(), is_behind.end(), true);
  return 2 * static_cast<size_t>(count) > job.ranks.size();
}

}  // namespace

std::vector<LinkTrouble> LinkTroubles(const Job& job, std::span<const NetworkLink> links,
                                      std::span<const GpuCounters> devices, const TimeRange& time,
                                      const TimeRange& before) {
  const std::vector<ComparedLink> all = Compared(job, links, devices);
  EvidenceOfLinks evidence(all.size());
  AddErrors(all, time, before, evidence);
  AddLowerRates(all, time, evidence);
  AddLowerTraffic(all, time, before, evidence);
  std::vector<LinkTrouble> troubles;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!evidence[i].has_value()) continue;
    evidence[i]->words = Words(job, all[i], evidence[i]->words);
    troubles.push_back({all[i].rows, *std::move(evidence[i])});
  }
  if (IsOfMost(job, troubles)) return {};
  return troubles;
}

}  // namespace lockstep::training
