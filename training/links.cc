#include "training/links.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "training/rank_matrix.h"
#include "training/statistics.h"

namespace lockstep::training {
namespace {

// A healthy link has a symbol error in hours. What is asked for is felt: each costs a retransmission.
constexpr double kLeastErrorsPerS = 0.05;
// Receivers drop a packet now and then when their host is busy.
constexpr double kLeastDropsPerS = 1.0;
// More than others, and more than before, by far: errors come in bursts on all links of a switch that restarts.
constexpr double kFarMore = 10.0;
constexpr double kLowerRate = 0.95;
// All links of a ring carry the same, so half is much less.
constexpr double kLowerTraffic = 0.5;
constexpr double kAlikeTraffic = 0.8;
constexpr size_t kFewestAlike = 3;

struct ErrorRule {
  LinkCounter counter;
  double least_per_s;
  std::string_view signal;
};

// The most telling first: a link that went down also has errors.
constexpr ErrorRule kErrorRules[] = {
    {LinkCounter::kLinkDowned, 0, "link_downed"},
    {LinkCounter::kLinkRecoveries, 0, "link_recoveries"},
    {LinkCounter::kSymbolErrors, kLeastErrorsPerS, "symbol_errors"},
    {LinkCounter::kRetransmits, kLeastErrorsPerS, "retransmits"},
    {LinkCounter::kTimeouts, kLeastErrorsPerS, "timeouts"},
    {LinkCounter::kOutOfSequence, kLeastErrorsPerS, "out_of_sequence"},
    {LinkCounter::kSendDiscards, kLeastDropsPerS, "send_discards"},
    {LinkCounter::kReceiveDrops, kLeastDropsPerS, "receive_drops"},
};

// One of the links that are compared: an interface of a host, or the NVLinks of a rank's GPU.
struct ComparedLink {
  NetworkLink link;
  std::vector<size_t> rows;
};

double PerSecond(const CounterSeries& counter, const TimeRange& time) {
  const double seconds = static_cast<double>(time.to_ms - time.from_ms) / 1000;
  return seconds > 0 ? IncreaseIn(counter, time) / seconds : kUnknown;
}

// A number of each link, and the median over those that it is compared with; unknown if these are too few.
struct Measured {
  std::vector<double> own;
  std::vector<double> usual;
};

template <typename Measure>
Measured MeasureAll(const std::vector<ComparedLink>& links, Measure measure) {
  Measured measured;
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

Measured RatesOf(const std::vector<ComparedLink>& links, LinkCounter counter,
                 const TimeRange& time) {
  return MeasureAll(links, [&](const NetworkLink& link) { return PerSecond(link[counter], time); });
}

using EvidenceOfLinks = std::vector<std::optional<Evidence>>;

void AddErrors(const std::vector<ComparedLink>& links, const TimeRange& time,
               const TimeRange& before, EvidenceOfLinks& evidence) {
  for (const ErrorRule& rule : kErrorRules) {
    const Measured now = RatesOf(links, rule.counter, time);
    const Measured past = RatesOf(links, rule.counter, before);
    for (size_t i = 0; i < links.size(); ++i) {
      const double own = now.own[i];
      if (evidence[i].has_value() || !(own > 0 && own >= rule.least_per_s)) continue;
      if (!(own > kFarMore * now.usual[i]) || own <= kFarMore * past.own[i]) continue;
      evidence[i] = {std::string(rule.signal), own, now.usual[i], "1/s", "a second"};
    }
  }
}

void AddLowerRates(const std::vector<ComparedLink>& links, const TimeRange& time,
                   EvidenceOfLinks& evidence) {
  const Measured rate = MeasureAll(links, [&](const NetworkLink& link) {
    return MeanIn(link[LinkCounter::kRateBytesPerS], time);
  });
  for (size_t i = 0; i < links.size(); ++i) {
    if (evidence[i].has_value() || !(rate.own[i] < kLowerRate * rate.usual[i])) continue;
    evidence[i] = {"link_rate", rate.own[i], rate.usual[i], "bytes/s", "negotiated"};
  }
}

void AddLowerTraffic(const std::vector<ComparedLink>& links, const TimeRange& time,
                     const TimeRange& before, EvidenceOfLinks& evidence) {
  const Measured now = RatesOf(links, LinkCounter::kSentBytes, time);
  const Measured past = RatesOf(links, LinkCounter::kSentBytes, before);
  for (size_t i = 0; i < links.size(); ++i) {
    const bool was_alike = past.own[i] >= kAlikeTraffic * past.usual[i];
    if (evidence[i].has_value() || !was_alike) continue;
    if (!(now.own[i] < kLowerTraffic * now.usual[i])) continue;
    evidence[i] = {"link_sent_bytes", now.own[i], now.usual[i], "bytes/s",
                   "sent, and as much as the others before"};
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
    one.link[LinkCounter::kSymbolErrors] = devices[row][DeviceCounter::kNvlinkErrors];
    one.link[LinkCounter::kRetransmits] = devices[row][DeviceCounter::kNvlinkReplays];
    one.link[LinkCounter::kLinkRecoveries] = devices[row][DeviceCounter::kNvlinkRecoveries];
    compared.push_back(std::move(one));
  }
  return compared;
}

std::string Words(const Job& job, const ComparedLink& link, std::string_view what) {
  const std::string whose = link.link.kind == LinkKind::kNvlink
                                ? absl::StrFormat("NVLink of rank %d", job.ranks[link.rows[0]].rank)
                                : absl::StrFormat("%s on %s", link.link.device, link.link.host);
  return absl::StrFormat("%s: %s, against the median of links like it", whose, what);
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
