#include "training/devices/step_amounts.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "training/matrix/rank_matrix.h"

namespace lockstep::training {
namespace {

constexpr int64_t kSecondMs = 1000;

// What is known of the time between two samples.
struct Piece {
  int64_t begin_ms = 0;  // of the sample before
  int64_t end_ms = 0;    // of this one
  double amount = 0;     // in `amount_ms`; evenly
  int64_t amount_ms = 0;
  bool is_known = false;

  double AmountIn(const TimeRange& time) const {
    const int64_t inside_ms = std::min(end_ms, time.max_ms) - std::max(begin_ms, time.min_ms);
    if (inside_ms == amount_ms) return amount;
    return amount * static_cast<double>(inside_ms) / static_cast<double>(amount_ms);
  }
};

class Stretches {
 public:
  Stretches(const SampleColumns& samples, Measured measured, int64_t longest_gap_ms)
      : is_counter_(measured == Measured::kCounter), longest_gap_ms_(longest_gap_ms) {
    for (size_t i = 0; i < samples.values.size(); ++i) {
      const double value = samples.values[i];
      if (IsStaleNan(value)) {
        has_ended_ = true;
      } else if (!is_counter_ || !std::isnan(value)) {
        Add(samples.timestamps_ms[i], value);
      }
    }
  }

  double AmountIn(const TimeRange& time) const {
    if (time.max_ms <= time.min_ms) return kUnknown;
    const auto first = std::ranges::upper_bound(all_, time.min_ms, {}, &Piece::end_ms);
    if (first == all_.end() || first->begin_ms > time.min_ms) return kUnknown;
    double sum = 0;
    for (auto next = first; next != all_.end(); ++next) {
      if (!next->is_known && !IsCountedIn(*next, time)) return kUnknown;
      sum += next->AmountIn(time);
      if (next->end_ms >= time.max_ms) return sum;
    }
    return kUnknown;
  }

 private:
  void Add(int64_t time_ms, double value) {
    if (last_ms_.has_value()) {
      const int64_t covered_ms = time_ms - *last_ms_;
      Piece& stretch = all_.emplace_back();
      stretch.begin_ms = *last_ms_;
      stretch.end_ms = time_ms;
      const bool is_reset = is_counter_ && value < last_value_;
      stretch.amount = is_counter_ && !is_reset ? value - last_value_ : value;
      stretch.amount_ms = is_counter_ ? covered_ms : kSecondMs;
      stretch.is_known = !has_ended_ && covered_ms <= longest_gap_ms_ && !std::isnan(value);
    }
    last_ms_ = time_ms;
    last_value_ = value;
    has_ended_ = false;
  }

  // A counter's next sample has counted what happened in a gap, if all of it is asked for.
  bool IsCountedIn(const Piece& gap, const TimeRange& time) const {
    return is_counter_ && time.min_ms <= gap.begin_ms && gap.end_ms <= time.max_ms;
  }

  const bool is_counter_;
  const int64_t longest_gap_ms_;
  std::vector<Piece> all_;  // each begins where the one before ends
  // The last sample.
  std::optional<int64_t> last_ms_;
  double last_value_ = 0;
  bool has_ended_ = false;
};

}  // namespace

std::vector<double> AmountsIn(const SampleColumns& samples, Measured measured,
                              std::span<const TimeRange> times, int64_t longest_gap_ms) {
  const Stretches stretches(samples, measured, longest_gap_ms);
  std::vector<double> amounts;
  amounts.reserve(times.size());
  for (const TimeRange& time : times) amounts.push_back(stretches.AmountIn(time));
  return amounts;
}

}  // namespace lockstep::training
