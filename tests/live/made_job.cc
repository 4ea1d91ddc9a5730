#include "tests/live/made_job.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::live {
namespace {

constexpr int64_t kBeginMs = 1'800'000'000'000;
constexpr double kExchangeS = 0.02;
constexpr double kDataS = 0.005;
constexpr double kRestartTakesS = 5;
constexpr double kRepeatedS = 10;

int64_t Ms(double seconds) { return std::llround(seconds * 1000); }

class Maker {
 public:
  Maker(const MadeJob& job, Replay& replay) : job_(job), replay_(replay), random_(job.seed) {
    truth_.begin_ms = kBeginMs;
    truth_.slow_rank = static_cast<int64_t>(random_() % job.ranks);
    truth_.innocent_rank =
        (truth_.slow_rank + static_cast<int64_t>(job.ranks / 2)) % static_cast<int64_t>(job.ranks);
    std::uniform_real_distribution<double> moment(0, job.batch_s);
    for (size_t rank = 0; rank < job.ranks; ++rank) phase_s_.push_back(moment(random_));
  }

  MadeTruth Make() {
    int64_t step = 0;
    double end_s = 0;
    while (end_s < job_.seconds) {
      if (attempt_ == 0 && end_s >= job_.restart_at_s) {
        step -= std::llround(kRepeatedS / (job_.step_s + kExchangeS));
        end_s += kRestartTakesS;
        attempt_ = 1;
      }
      end_s = MakeStep(step++, end_s);
    }
    return truth_;
  }

 private:
  double MakeStep(int64_t step, double begin_s) {
    const bool is_slow = begin_s >= job_.onset_s && begin_s < job_.until_s;
    if (is_slow && truth_.onset_ms == 0) truth_.onset_ms = kBeginMs + Ms(begin_s);
    std::normal_distribution<double> noise(0, 0.002 * job_.step_s / 0.18);
    std::vector<double> own_s(job_.ranks);
    for (double& seconds : own_s) seconds = job_.step_s + noise(random_);
    const double extra_s = is_slow ? job_.step_s * job_.late : 0;
    own_s[static_cast<size_t>(truth_.slow_rank)] += extra_s;
    const double step_s = *std::ranges::max_element(own_s) + kExchangeS;
    for (size_t rank = 0; rank < job_.ranks; ++rank) {
      Push(static_cast<int64_t>(rank), step, begin_s + step_s, step_s, own_s[rank], extra_s);
    }
    return begin_s + step_s;
  }

  // In seconds; infinity means never.
  double ArrivalOf(int64_t rank, double end_s) const {
    const double phase_s = phase_s_[static_cast<size_t>(rank)];
    double at_s = (std::floor((end_s - phase_s) / job_.batch_s) + 1) * job_.batch_s + phase_s;
    if (rank == (truth_.innocent_rank + 1) % static_cast<int64_t>(job_.ranks)) {
      at_s = std::max(at_s, job_.joins_at_s);
    }
    if (rank != truth_.innocent_rank) return at_s;
    at_s += job_.slow_sender_s;
    return at_s >= job_.dead_at_s ? std::max(at_s, job_.back_at_s) : at_s;
  }

  void Push(int64_t rank, int64_t step, double end_s, double step_s, double own_s, double extra_s) {
    const double arrival_s = ArrivalOf(rank, end_s);
    const bool is_told = rank != truth_.innocent_rank || step % job_.stride == 0;
    if (!std::isfinite(arrival_s) || !is_told) return;
    const double slow_s = rank == truth_.slow_rank ? extra_s : 0;
    const std::vector<std::pair<std::string_view, double>> phases = {
        {"data_load", kDataS + (job_.phase == "data_load" ? slow_s : 0)},
        {"forward", own_s - slow_s - kDataS + (job_.phase == "forward" ? slow_s : 0)},
        {"allreduce", step_s - own_s}};
    const std::string rank_label = absl::StrFormat("%d", rank);
    const std::string attempt_label = absl::StrFormat("%d", attempt_);
    const auto add = [&](std::string_view name, std::string_view phase, double value) {
      const LabelSet labels = LabelSet::Of({{kMetricName, name},
                                            {"job", job_.name},
                                            {"rank", rank_label},
                                            {"attempt", attempt_label},
                                            {"phase", phase}});
      replay_.Add(kBeginMs + Ms(arrival_s), labels, kBeginMs + Ms(end_s), value);
      if (!job_.sends_twice) return;
      replay_.Add(kBeginMs + Ms(arrival_s + 2 * job_.batch_s), labels, kBeginMs + Ms(end_s), value);
    };
    add("train_step", "", static_cast<double>(step));
    add("train_step_time_seconds", "", step_s);
    for (const auto& [phase, seconds] : phases) add("train_phase_seconds", phase, seconds);
  }

  const MadeJob& job_;
  Replay& replay_;
  std::mt19937 random_;
  std::vector<double> phase_s_;  // by rank: the offset of its pushes
  int attempt_ = 0;
  MadeTruth truth_;
};

}  // namespace

MadeTruth AddMadeJob(const MadeJob& job, Replay& replay) { return Maker(job, replay).Make(); }

}  // namespace lockstep::live
