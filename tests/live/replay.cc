#include "tests/live/replay.h"

#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "answers/load/job_loader.h"
#include "answers/stragglers.h"
#include "base/check.h"
#include "catalogue/roles.h"

namespace lockstep::live {
namespace {

constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

std::string TextOf(const answers::LoadedJob& job, const training::StragglerAnswer& answer) {
  if (job.steps.size() == 0) return "";
  std::string text =
      absl::StrFormat("%s up to %d, %s by %s", job.is_running ? "runs" : "does not run",
                      job.steps.step.back(), Name(answer.verdict), Name(answer.method));
  for (const training::StragglerVerdict verdict : answer.also) {
    absl::StrAppendFormat(&text, " and %s", Name(verdict));
  }
  for (const training::SlowRankFinding& finding : answer.ranks) {
    absl::StrAppendFormat(&text, "; rank %d by %.9g for %s %s, %.9g s lost",
                          job.job.ranks[finding.row].rank, finding.score, Name(finding.cause),
                          Name(finding.gpu_reason), finding.lost_seconds);
    for (const training::StragglerEpisode& episode : finding.episodes) {
      absl::StrAppendFormat(&text, " %d-%d%s", episode.time.min_ms, episode.time.max_ms,
                            episode.is_open ? " open" : "");
    }
  }
  for (const training::NotReportingRank& silent : job.not_reporting) {
    absl::StrAppendFormat(&text, "; rank %d silent since %d", job.job.ranks[silent.row].rank,
                          silent.since_ms);
  }
  return text;
}

class RankPush {
 public:
  RankPush(const training::RecordedJob& job, size_t row, int64_t batch_ms, int64_t late_ms,
           Replay& replay)
      : job_(job), row_(row), batch_ms_(batch_ms), late_ms_(late_ms), replay_(replay) {}

  void Add(std::string_view name, const training::RankMatrix& values, std::string_view phase = "") {
    for (size_t n = 0; n < values.columns(); ++n) AddStep(name, n, values(row_, n), phase);
  }

  void AddStep(std::string_view name, size_t n, double value, std::string_view phase = "") {
    if (!std::isnan(value)) AddAt(name, job_.steps.end_ms[n], value, phase);
  }

  void AddAt(std::string_view name, int64_t time_ms, double value, std::string_view phase = "") {
    const training::RankPlace& place = job_.job.ranks[row_];
    const std::string rank = absl::StrFormat("%d", place.rank);
    // Each rank pushes at a different time.
    const int64_t phase_ms = batch_ms_ * static_cast<int64_t>(row_) / 7 % batch_ms_;
    const int64_t arrival_ms =
        ((time_ms + phase_ms) / batch_ms_ + 1) * batch_ms_ - phase_ms + late_ms_;
    replay_.Add(arrival_ms,
                LabelSet::Of({{kMetricName, name},
                              {"job", job_.job.name},
                              {"rank", rank},
                              {"phase", phase},
                              {"gpu", place.gpu},
                              {"Hostname", place.host}}),
                time_ms, value);
  }

 private:
  const training::RecordedJob& job_;
  const size_t row_;
  const int64_t batch_ms_;
  const int64_t late_ms_;
  Replay& replay_;
};

}  // namespace

void Replay::Add(int64_t arrival_ms, const LabelSet& labels, int64_t time_ms, double value) {
  waiting_.emplace(arrival_ms, Arrival{labels, time_ms, value});
}

void Replay::AddJob(const training::RecordedJob& job, int64_t batch_ms,
                    const std::vector<int64_t>& late_ms) {
  for (size_t row = 0; row < job.job.ranks.size(); ++row) {
    RankPush push(job, row, batch_ms, late_ms[row], *this);
    for (size_t n = 0; n < job.steps.size(); ++n) {
      push.AddStep("train_step", n, static_cast<double>(job.steps.step[n]));
    }
    push.Add("train_step_time_seconds", job.steps.step_seconds);
    for (const training::PhaseColumn& phase : job.steps.phases) {
      push.Add("train_phase_seconds", phase.seconds, phase.name);
    }
    if (job.devices.empty()) continue;
    for (const catalogue::Role role : training::kDeviceRoles) {
      const training::CounterSeries& series = job.devices[row][role];
      for (size_t n = 0; n < series.value.size(); ++n) {
        push.AddAt(catalogue::InfoOf(role).name, series.timestamp_ms[n], series.value[n]);
      }
    }
  }
}

void Replay::AdvanceTo(int64_t now_ms) {
  const auto end = waiting_.upper_bound(now_ms);
  for (auto at = waiting_.begin(); at != end; ++at) {
    storage_.Append(at->second.labels, at->second.time_ms, at->second.value);
  }
  waiting_.erase(waiting_.begin(), end);
}

Replay::Answer Replay::AskLive(const std::string& job, int64_t now_ms) {
  const uint64_t change_count = storage_.change_count();
  const auto querier = storage_.NewQuerier();
  LOCKSTEP_CHECK(querier.ok());
  QueryBudget budget(kUnlimited, QueryBudget::Clock::time_point::max());
  Answer answer;
  const auto visit = [&](const answers::LoadedJob& known,
                         const training::StragglerAnswer& stragglers) {
    answer.job.job = known.job;
    answer.job.is_running = known.is_running;
    answer.job.not_reporting = known.not_reporting;
    answer.job.steps.step = known.steps.step;
    answer.job.steps.end_ms = known.steps.end_ms;
    answer.stragglers = stragglers;
    answer.text = TextOf(known, stragglers);
  };
  const auto found = live_->Find(job, now_ms, change_count, {**querier, pool_, budget}, visit);
  LOCKSTEP_CHECK(found.ok() || found.status().code() == absl::StatusCode::kNotFound);
  return answer;
}

Replay::Answer Replay::AskWhole(const std::string& job, int64_t now_ms) {
  const auto querier = storage_.NewQuerier();
  LOCKSTEP_CHECK(querier.ok());
  QueryBudget budget(kUnlimited, QueryBudget::Clock::time_point::max());
  answers::JobQuery query{.name = job};
  query.time.max_ms = now_ms;
  query.now_ms = now_ms;
  query.needs.phases = query.needs.operations = true;
  query.needs.devices.set();
  query.needs.links = true;
  query.live_steps_alone = true;
  auto loaded = answers::LoadJob(query, {**querier, pool_, budget});
  Answer answer;
  if (loaded.status().code() == absl::StatusCode::kNotFound) return answer;
  LOCKSTEP_CHECK(loaded.ok());
  answer.stragglers = answers::FindStragglers(*loaded, {}, nullptr);
  answer.text = TextOf(*loaded, answer.stragglers);
  answer.job = *std::move(loaded);
  return answer;
}

}  // namespace lockstep::live
