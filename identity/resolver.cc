#include "identity/resolver.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "identity/claims.h"
#include "identity/regex_text.h"
#include "identity/seat_book.h"

namespace lockstep::identity {
namespace {

using AttemptTimes = std::map<int64_t, TimeRange>;

void Extend(const TimeRange& by, TimeRange& time) {
  time = {std::min(time.min_ms, by.min_ms), std::max(time.max_ms, by.max_ms)};
}

// When each attempt was seen. An open registration only counts as a beginning.
AttemptTimes TimesOf(const std::vector<Claim>& claims) {
  AttemptTimes times;
  for (const Claim& claim : claims) {
    if (!claim.attempt.has_value()) continue;
    TimeRange seen = claim.time;
    if (claim.is_open) seen.max_ms = seen.min_ms;
    Extend(seen, times.try_emplace(*claim.attempt, seen).first->second);
  }
  return times;
}

// The part of the claim in each attempt that it overlaps: each attempt lasts until the next one
// begins.
void Divide(const Claim& claim, const AttemptTimes& times, std::vector<Claim>& divided) {
  for (auto at = times.begin(); at != times.end(); ++at) {
    const auto next = std::next(at);
    const int64_t begin = at == times.begin() ? claim.time.min_ms : at->second.min_ms;
    const int64_t end = next == times.end() ? claim.time.max_ms : next->second.min_ms - 1;
    const TimeRange part{std::max(claim.time.min_ms, begin), std::min(claim.time.max_ms, end)};
    if (part.min_ms > part.max_ms) continue;
    divided.push_back(claim);
    divided.back().attempt = at->first;
    divided.back().time = part;
  }
}

// A process that was seen after it was announced ended when it was last seen; one that was not seen
// may still be running.
void Close(const AttemptTimes& times, TimeRange range, Claim& claim) {
  claim.is_open = false;
  claim.time.max_ms = std::min(range.max_ms, claim.last_ms);
  const auto attempt = times.find(claim.attempt.value_or(0));
  if (attempt == times.end()) return;
  const auto next = std::next(attempt);
  if (next != times.end()) {
    claim.time.max_ms = std::min(claim.time.max_ms, next->second.min_ms - 1);
  }
  if (attempt->second.max_ms > claim.time.min_ms) claim.time.max_ms = attempt->second.max_ms;
  claim.time.max_ms = std::max(claim.time.max_ms, claim.time.min_ms);
}

// Gives every claim an attempt and every open claim an end. A claim without an attempt gets the
// attempt of its time; one that spans several attempts is cut where they begin. In a job whose
// claims never name attempts, all claims are attempt 0. `range` ends whatever still continues.
std::vector<Claim> DivideAmongAttempts(std::vector<Claim> claims, TimeRange range) {
  AttemptTimes times = TimesOf(claims);
  if (times.empty() && !claims.empty()) times[0] = claims.front().time;
  std::vector<Claim> divided;
  std::vector<Claim*> open;
  for (Claim& claim : claims) {
    if (claim.is_open) {
      open.push_back(&claim);
      continue;
    }
    if (claim.attempt.has_value()) {
      divided.push_back(claim);
    } else {
      Divide(claim, times, divided);
    }
  }
  AttemptTimes seen = times;
  for (const Claim& claim : divided) Extend(claim.time, seen.at(*claim.attempt));
  for (Claim* claim : open) {
    if (!claim->attempt.has_value()) claim->attempt = times.begin()->first;
    Close(seen, range, *claim);
    divided.push_back(*claim);
  }
  return divided;
}

using PlacementsOfRank = std::map<std::pair<int64_t, int64_t>, std::vector<Placement>>;

SeatBook BookOf(std::span<const SeenSeries> seen) {
  SeatBook book;
  for (const SeenSeries& series : seen) book.Learn(series.who.seat);
  return book;
}

void MergeInto(const Claim& claim, Placement& placement) {
  Merge(claim.seat, placement.seat);
  placement.time = {std::min(placement.time.min_ms, claim.time.min_ms),
                    std::max(placement.time.max_ms, claim.time.max_ms)};
  for (size_t i = 0; i < claim.coordinates.size(); ++i) {
    if (!placement.coordinates[i].has_value()) placement.coordinates[i] = claim.coordinates[i];
  }
  placement.source = std::min(placement.source, claim.source);
}

Placement PlacementOf(const Claim& claim) {
  return {.attempt = *claim.attempt,
          .rank = claim.rank,
          .seat = claim.seat,
          .coordinates = claim.coordinates,
          .time = claim.time,
          .source = claim.source,
          .device_matchers = {}};
}

// Places the claims of one rank and attempt. Those that name a GPU come first; the others then
// belong to it, if there is only one.
void Place(const Claim& claim, std::vector<Placement>& placements) {
  const auto same = std::ranges::find_if(placements, [&](const Placement& placement) {
    return MayBeSame(placement.seat, claim.seat);
  });
  if (same != placements.end()) return MergeInto(claim, *same);
  placements.push_back(PlacementOf(claim));
}

bool NamesMore(const Claim& a, const Claim& b) {
  const auto key = [](const Claim& claim) {
    const Seat& seat = claim.seat;
    return std::tuple(seat.uuid.empty(), seat.gpu.empty(), seat.host.empty(), claim.source,
                      claim.time.min_ms);
  };
  return key(a) < key(b);
}

std::vector<Placement> PlaceAll(std::vector<Claim> claims) {
  std::ranges::stable_sort(claims, NamesMore);
  PlacementsOfRank by_rank;
  for (const Claim& claim : claims) Place(claim, by_rank[{*claim.attempt, claim.rank}]);
  std::vector<Placement> all;
  for (auto& [rank, placements] : by_rank) {
    std::ranges::sort(placements, {}, [](const Placement& p) { return p.time.min_ms; });
    std::ranges::move(placements, std::back_inserter(all));
  }
  return all;
}

// Clips placements to the requested range and removes those outside.
void Clip(TimeRange range, std::vector<Placement>& placements) {
  std::erase_if(placements, [&](Placement& placement) {
    TimeRange& time = placement.time;
    time = {std::max(time.min_ms, range.min_ms), std::min(time.max_ms, range.max_ms)};
    return time.min_ms > time.max_ms;
  });
}

// When another job appears on the GPU, a claim whose end was not seen had ended by then.
void EndAtNextJob(std::string_view job, std::span<const SeenSeries> seen, const SeatBook& book,
                  std::vector<Claim>& claims) {
  for (const SeenSeries& series : seen) {
    if (series.who.job.empty() || series.who.job == job || series.seen.empty()) continue;
    const Seat seat = book.Complete(series.who.seat);
    const int64_t begin_ms = series.seen.front().min_ms;
    for (Claim& claim : claims) {
      if (!claim.is_open || claim.time.min_ms >= begin_ms || !HasGpu(seat)) continue;
      if (!MayBeSame(claim.seat, seat)) continue;
      claim.last_ms = std::min(claim.last_ms, begin_ms - 1);
    }
  }
}

// If a GPU has its series once for each of its users, the series of other users are not the job's.
void AddJobMatcher(std::string_view job, const SeenSeries& series, std::vector<Matcher>& matchers) {
  if (series.who.job != job || series.who.labels.job.empty()) return;
  auto matcher = Matcher::Make(MatchType::kRegex, std::string(series.who.labels.job),
                               "|" + EscapeRegex(series.who.labels.job_value));
  if (matcher.ok()) matchers.push_back(*std::move(matcher));
}

std::vector<Matcher> MatchersOf(const SeenSeries& series) {
  const SeatLabels& labels = series.who.labels;
  const Seat& seat = series.who.seat;
  if (!labels.uuid.empty()) return {Matcher::Equal(std::string(labels.uuid), seat.uuid)};
  if (labels.host.empty() || labels.gpu.empty()) return {};
  return {Matcher::Equal(std::string(labels.host), seat.host),
          Matcher::Equal(std::string(labels.gpu), seat.gpu)};
}

bool BeginsWith(const std::vector<Matcher>& matchers, const std::vector<Matcher>& part) {
  return matchers.size() >= part.size() && std::equal(part.begin(), part.end(), matchers.begin());
}

// The first series of a GPU with certain labels shows how to find the others like it.
void AddDeviceMatchers(std::string_view job, const SeenSeries& series, const SeatBook& book,
                       std::vector<Placement>& placements) {
  const std::vector<Matcher> place = MatchersOf(series);
  if (place.empty()) return;
  std::vector<Matcher> matchers = place;
  AddJobMatcher(job, series, matchers);
  const Seat seat = book.Complete(series.who.seat);
  for (Placement& placement : placements) {
    auto& sets = placement.device_matchers;
    const bool is_known = std::ranges::any_of(
        sets, [&](const std::vector<Matcher>& set) { return BeginsWith(set, place); });
    if (!is_known && HasGpu(placement.seat) && MayBeSame(placement.seat, seat)) {
      sets.push_back(matchers);
    }
  }
}

// Series that name the job say more than those that name none.
void AddAllDeviceMatchers(std::string_view job, std::span<const SeenSeries> seen,
                          const SeatBook& book, std::vector<Placement>& placements) {
  for (const std::string_view named : {job, std::string_view()}) {
    for (const SeenSeries& series : seen) {
      if (series.kind != SeenSeries::Kind::kDevice || series.who.job != named) continue;
      AddDeviceMatchers(job, series, book, placements);
    }
  }
}

void WarnOfMissingRanks(const JobIdentity& identity, std::vector<std::string>& warnings) {
  if (!identity.world_size.has_value()) return;
  std::map<int64_t, std::vector<int64_t>> ranks;
  for (const Placement& placement : identity.placements) {
    std::vector<int64_t>& of_attempt = ranks[placement.attempt];
    if (of_attempt.empty() || of_attempt.back() != placement.rank) {
      of_attempt.push_back(placement.rank);
    }
  }
  for (const auto& [attempt, found] : ranks) {
    if (static_cast<int64_t>(found.size()) == *identity.world_size) continue;
    warnings.push_back(absl::StrFormat("attempt %d: %d ranks are known, but the world size is %d",
                                       attempt, found.size(), *identity.world_size));
  }
}

void WarnOfSharedGpus(const std::vector<Placement>& placements,
                      std::vector<std::string>& warnings) {
  std::map<std::pair<int64_t, std::string>, int64_t> rank_on;
  for (const Placement& placement : placements) {
    if (placement.seat.uuid.empty()) continue;
    const auto [first, is_new] =
        rank_on.try_emplace({placement.attempt, placement.seat.uuid}, placement.rank);
    if (is_new || first->second == placement.rank) continue;
    warnings.push_back(absl::StrFormat("attempt %d: ranks %d and %d are both on GPU %s",
                                       placement.attempt, first->second, placement.rank,
                                       placement.seat.uuid));
  }
}

std::optional<int64_t> WorldSizeOf(std::string_view job, std::span<const SeenSeries> seen) {
  for (const SeenSeries& series : seen) {
    if (series.who.job == job && series.who.world_size.has_value()) return series.who.world_size;
  }
  return std::nullopt;
}

}  // namespace

JobIdentity ResolveJob(std::string_view job, std::span<const SeenSeries> seen, TimeRange range) {
  JobIdentity identity{.job = std::string(job),
                       .placements = {},
                       .world_size = WorldSizeOf(job, seen),
                       .warnings = {}};
  const SeatBook book = BookOf(seen);
  JobClaims claims = ClaimsOf(job, seen, book);
  if (!SeatFreeGpus(claims)) {
    identity.warnings.push_back(absl::StrFormat(
        "%d GPUs of the job cannot be assigned to ranks: register the ranks to assign them",
        claims.gpus.size()));
  }
  EndAtNextJob(job, seen, book, claims.claims);
  identity.placements = PlaceAll(DivideAmongAttempts(std::move(claims.claims), range));
  Clip(range, identity.placements);
  AddAllDeviceMatchers(job, seen, book, identity.placements);
  WarnOfMissingRanks(identity, identity.warnings);
  WarnOfSharedGpus(identity.placements, identity.warnings);
  return identity;
}

}  // namespace lockstep::identity
