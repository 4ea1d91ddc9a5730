#include "identity/claims.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace lockstep::identity {
namespace {

// "10" after "9", because hosts and GPUs are numbered.
std::pair<size_t, std::string_view> ByNumber(std::string_view text) { return {text.size(), text}; }

// "node10" after "node9".
struct HostKey {
  std::string_view letters;
  std::pair<size_t, std::string_view> number;
  auto operator<=>(const HostKey&) const = default;
};

HostKey KeyOf(std::string_view host) {
  size_t end = host.size();
  while (end > 0 && host[end - 1] >= '0' && host[end - 1] <= '9') --end;
  return {host.substr(0, end), ByNumber(host.substr(end))};
}

bool IsBefore(const FreeGpu& a, const FreeGpu& b) {
  const auto key = [](const FreeGpu& gpu) {
    return std::tuple(gpu.node_rank.value_or(0), KeyOf(gpu.seat.host), ByNumber(gpu.seat.gpu),
                      std::string_view(gpu.seat.uuid));
  };
  return key(a) < key(b);
}

Claim ClaimOf(const SeenSeries& series, size_t span, const SeatBook& seats) {
  const bool is_registration = series.kind == SeenSeries::Kind::kRegistration;
  return {.attempt = series.who.attempt,
          .rank = *series.who.rank,
          .seat = seats.Complete(series.who.seat),
          .coordinates = series.who.coordinates,
          .time = series.seen[span],
          .is_open = series.is_open && span + 1 == series.seen.size(),
          .last_ms = kAllTimes.max_ms,
          .source = is_registration ? Source::kRegistered : series.who.source};
}

void TakeRanked(const SeenSeries& series, const SeatBook& seats, std::vector<Claim>& claims) {
  int64_t attempt = 0;
  for (size_t span = 0; span < series.seen.size(); ++span) {
    Claim claim = ClaimOf(series, span, seats);
    if (series.kind == SeenSeries::Kind::kSteps && !claim.attempt.has_value()) {
      if (span < series.begins_attempt.size() && series.begins_attempt[span]) ++attempt;
      claim.attempt = attempt;
    }
    claims.push_back(std::move(claim));
  }
}

void TakeUnranked(const SeenSeries& series, const SeatBook& seats, std::vector<FreeGpu>& gpus) {
  if (series.seen.empty()) return;
  FreeGpu gpu{
      .seat = seats.Complete(series.who.seat),
      .node_rank = series.who.node_rank,
      .time = {series.seen.front().min_ms, series.seen.back().max_ms},
      .source = series.who.source == Source::kKubernetes ? Source::kKubernetes : Source::kPresumed};
  if (!HasGpu(gpu.seat)) return;
  const auto same = std::ranges::find_if(
      gpus, [&](const FreeGpu& other) { return MayBeSame(other.seat, gpu.seat); });
  if (same == gpus.end()) return gpus.push_back(std::move(gpu));
  same->time = {std::min(same->time.min_ms, gpu.time.min_ms),
                std::max(same->time.max_ms, gpu.time.max_ms)};
  Merge(gpu.seat, same->seat);
}

// Ranks without a GPU, with the host that they name.
std::map<int64_t, std::string> UnseatedRanks(const std::vector<Claim>& claims) {
  std::map<int64_t, std::string> ranks;
  for (const Claim& claim : claims) {
    std::string& host = ranks[claim.rank];
    if (!claim.seat.host.empty()) host = claim.seat.host;
  }
  for (const Claim& claim : claims) {
    if (HasGpu(claim.seat)) ranks.erase(claim.rank);
  }
  return ranks;
}

void DropTaken(JobClaims& job) {
  std::erase_if(job.gpus, [&](const FreeGpu& gpu) {
    return std::ranges::any_of(job.claims, [&](const Claim& claim) {
      return HasGpu(claim.seat) && MayBeSame(claim.seat, gpu.seat);
    });
  });
}

void Take(const FreeGpu& gpu, int64_t rank, std::vector<Claim>& claims) {
  claims.push_back({.attempt = std::nullopt,
                    .rank = rank,
                    .seat = gpu.seat,
                    .coordinates = {},
                    .time = gpu.time,
                    .is_open = false,
                    .last_ms = kAllTimes.max_ms,
                    .source = gpu.source});
}

bool SeatAll(std::span<const FreeGpu> gpus, std::span<const int64_t> ranks,
             std::vector<Claim>& claims) {
  if (gpus.size() != ranks.size()) return false;
  for (size_t i = 0; i < gpus.size(); ++i) Take(gpus[i], ranks[i], claims);
  return true;
}

bool SeatByHost(const std::map<int64_t, std::string>& unseated, JobClaims& job) {
  std::map<std::string, std::vector<int64_t>> ranks_of;
  std::map<std::string, std::vector<FreeGpu>> gpus_of;
  for (const auto& [rank, host] : unseated) ranks_of[host].push_back(rank);
  for (const FreeGpu& gpu : job.gpus) gpus_of[gpu.seat.host].push_back(gpu);
  bool is_complete = true;
  for (const auto& [host, ranks] : ranks_of) {
    is_complete &= SeatAll(gpus_of[host], ranks, job.claims);
  }
  return is_complete;
}

}  // namespace

JobClaims ClaimsOf(std::string_view job, std::span<const SeenSeries> seen, const SeatBook& seats) {
  JobClaims found;
  for (const SeenSeries& series : seen) {
    if (series.who.job != job) continue;
    if (series.who.rank.has_value()) {
      TakeRanked(series, seats, found.claims);
    } else if (series.kind == SeenSeries::Kind::kDevice) {
      TakeUnranked(series, seats, found.gpus);
    }
  }
  return found;
}

bool SeatFreeGpus(JobClaims& job) {
  DropTaken(job);
  if (job.gpus.empty()) return true;
  std::ranges::sort(job.gpus, IsBefore);
  std::map<int64_t, std::string> unseated = UnseatedRanks(job.claims);
  if (job.claims.empty()) {
    for (size_t i = 0; i < job.gpus.size(); ++i) unseated[static_cast<int64_t>(i)];
  }
  const bool have_hosts =
      std::ranges::none_of(unseated, [](const auto& rank) { return rank.second.empty(); });
  if (have_hosts) return SeatByHost(unseated, job);
  std::vector<int64_t> ranks;
  for (const auto& [rank, host] : unseated) ranks.push_back(rank);
  return SeatAll(job.gpus, ranks, job.claims);
}

}  // namespace lockstep::identity
