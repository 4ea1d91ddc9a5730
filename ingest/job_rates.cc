#include "ingest/job_rates.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_format.h"
#include "ingest/rate_limit.h"

namespace lockstep {
namespace {

constexpr std::string_view kJobLabel = "job";
// The shared bucket of jobs without their own.
constexpr size_t kOthers = 0;

size_t KeyOf(std::string_view job) { return absl::Hash<std::string_view>()(job); }

std::string WhyNot(std::string_view job, double per_second) {
  return absl::StrFormat(
      "the job \"%s\" exceeds its limit of %.0f samples per second "
      "(ingest.max-samples-per-second-per-job)",
      job, per_second);
}

size_t SampleCountOf(const SeriesWrite& series) {
  return series.samples.size() + series.histograms.size();
}

}  // namespace

absl::Status JobRates::Admit(DecodedWrite& decoded) {
  const auto per_second = static_cast<double>(per_second_.load());
  std::vector<SeriesWrite>& all_series = decoded.request.series;
  if (per_second == 0 || all_series.empty()) return absl::OkStatus();
  Arrivals arrivals;
  for (const SeriesWrite& series : all_series) {
    const std::string_view job = series.labels.Get(kJobLabel);
    Arrival& arrival = arrivals[KeyOf(job)];
    arrival.job = job;
    arrival.sample_count += static_cast<double>(SampleCountOf(series));
  }
  Judge(per_second, arrivals);
  const auto is_over = [&arrivals](const LabelSet& labels) {
    const auto found = arrivals.find(KeyOf(labels.Get(kJobLabel)));
    return found != arrivals.end() && found->second.wait_seconds > 0;
  };
  if (std::ranges::all_of(all_series, is_over, &SeriesWrite::labels)) {
    const auto longest = std::max_element(
        arrivals.begin(), arrivals.end(),
        [](const auto& a, const auto& b) { return a.second.wait_seconds < b.second.wait_seconds; });
    const double wait_seconds = std::max(1.0, std::ceil(longest->second.wait_seconds));
    return ComeAgainIn(std::chrono::seconds(static_cast<int64_t>(wait_seconds)),
                       WhyNot(longest->second.job, per_second));
  }
  for (const SeriesWrite& series : all_series) {
    if (!is_over(series.labels)) continue;
    const std::vector<LabelView> labels(series.labels.begin(), series.labels.end());
    decoded.refusals.Add(RejectReason::kJobRate, SampleCountOf(series), labels,
                         WhyNot(series.labels.Get(kJobLabel), per_second));
  }
  std::erase_if(all_series, [&](const SeriesWrite& series) { return is_over(series.labels); });
  std::erase_if(decoded.exemplars,
                [&](const SeriesExemplars& of_series) { return is_over(of_series.series); });
  return absl::OkStatus();
}

void JobRates::Judge(double per_second, Arrivals& arrivals) {
  const MutexLock lock(mutex_);
  Fill(per_second);
  for (auto& [key, arrival] : arrivals) {
    const bool has_bucket = tokens_.size() < kMaxJobs || tokens_.contains(key);
    double& tokens = tokens_.try_emplace(has_bucket ? key : kOthers, per_second).first->second;
    if (tokens > 0) {
      tokens -= arrival.sample_count;
    } else {
      arrival.wait_seconds = std::max(1e-3, -tokens / per_second);
    }
  }
}

void JobRates::Fill(double per_second) {
  const Clock::time_point now = now_();
  const std::chrono::duration<double> passed = std::max(now - filled_at_, Clock::duration::zero());
  filled_at_ = std::max(now, filled_at_);
  absl::erase_if(tokens_, [&](auto& bucket) {
    bucket.second += passed.count() * per_second;
    return bucket.second >= per_second;
  });
}

}  // namespace lockstep
