#include "storage/chunk/integers/residual_stream.h"

#include <algorithm>
#include <array>

#include "storage/chunk/integers/bits.h"

namespace lockstep {
namespace {

constexpr int kSlackBits = 128;

StepForm FormFor(const BinSet& set, int most_bits) {
  if (most_bits > kWordBits) return StepForm::kWide;
  const bool has_offsets = std::any_of(set.bins.begin(), set.bins.end(),
                                       [](const Bin& bin) { return bin.offset_bits > 0; });
  if (!has_offsets && 4 * most_bits <= kWordBits) return StepForm::kBinsAlone;
  const bool is_scaled = set.plain_count < set.bins.size();
  if (!is_scaled && 2 * most_bits <= kWordBits) return StepForm::kNarrow;
  return StepForm::kUsual;
}

// Sums up a residual into values[job.next].
void PutValue(uint64_t residual, int order, RoundsJob& job) {
  uint64_t* const at = job.values + job.next;
  if (order == 0) {
    *at = residual;
  } else if (order == 1) {
    *at = at[-1] + residual;
  } else {
    *at = 2 * at[-1] - at[-2] + residual;
  }
  ++job.next;
}

// The same residual for all values.
void PutSteadyValues(uint64_t residual, int order, std::span<int64_t> values) {
  size_t next = static_cast<size_t>(order);
  uint64_t value = order >= 1 ? static_cast<uint64_t>(values[next - 1]) : 0;
  uint64_t difference = order == 2 ? value - static_cast<uint64_t>(values[0]) : residual;
  for (; next < values.size(); ++next) {
    if (order == 2) difference += residual;
    value = order == 0 ? residual : value + difference;
    values[next] = static_cast<int64_t>(value);
  }
}

}  // namespace

void ResidualWriter::Write(std::span<const int64_t> residuals, std::string& out) {
  if (residuals.empty()) return;
  const auto lane_count = static_cast<size_t>(LaneCount(residuals.size()));
  uint16_t states[kMaxLanes] = {};
  places_.resize(residuals.size());
  steps_.resize(residuals.size());
  for (size_t i = residuals.size(); i-- > 0;) {
    places_[i] = finder_.Find(residuals[i]);
    uint16_t& state = states[i % lane_count];
    if (i + lane_count >= residuals.size()) {
      state = coder_.Last(places_[i].bin);
      steps_[i] = {};
    } else {
      steps_[i] = coder_.Put(places_[i].bin, state);
    }
  }
  BitSink bits(out);
  for (size_t lane = 0; lane < lane_count; ++lane) bits.Put(states[lane], set_.table_log);
  for (size_t i = 0; i < residuals.size(); ++i) {
    bits.Put(steps_[i].bits, steps_[i].bit_count);
    bits.Put(places_[i].offset, set_.bins[places_[i].bin].offset_bits);
  }
  bits.Finish();
}

void ResidualReader::Reset(const BinSet& set) {
  FillAnsEntries(set, entries_);
  table_log_ = set.table_log;
  factors_.resize(set.bins.size());
  std::array<uint64_t, kMaxBins> lowers;
  for (size_t bin = 0; bin < set.bins.size(); ++bin) {
    factors_[bin] = bin < set.plain_count ? 1 : set.unit;
    lowers[bin] = static_cast<uint64_t>(set.bins[bin].lower) * factors_[bin];
  }
  lowers_.resize(entries_.size());
  total_bits_.resize(entries_.size());
  uint32_t most_bits = 0;
  for (size_t state = 0; state < entries_.size(); ++state) {
    const AnsEntry& entry = entries_[state];
    lowers_[state] = lowers[entry.bin];
    total_bits_[state] = uint32_t{entry.state_bits} + entry.offset_bits;
    most_bits = std::max(most_bits, total_bits_[state]);
  }
  most_bits_ = static_cast<int>(most_bits);
  form_ = FormFor(set, most_bits_);
}

RoundsFunction ResidualReader::Rounds(int lane_count, int order) const {
  const RoundsTable& table = build_ == CodecBuild::kAvx2 ? Avx2Rounds() : PortableRounds();
  return table.functions[lane_count / 2][static_cast<size_t>(form_)][order];
}

bool ResidualReader::ReadFirst(std::string_view stream, size_t slack_bytes, int order, size_t count,
                               std::span<int64_t> values) const {
  RoundsJob job;
  job.next = static_cast<size_t>(order);
  if (count <= job.next) return stream.empty();
  if (most_bits_ == 0) {
    PutSteadyValues(lowers_.front(), order, values);
    return stream.empty();
  }
  const size_t residual_count = count - job.next;
  const int lane_count = LaneCount(residual_count);
  job.entries = entries_.data();
  job.lowers = lowers_.data();
  job.total_bits = total_bits_.data();
  job.factors = factors_.data();
  job.bytes = reinterpret_cast<const unsigned char*>(stream.data());
  // The types may differ in signedness.
  job.values = reinterpret_cast<uint64_t*>(values.data());
  for (int lane = 0; lane < lane_count; ++lane) {
    job.states[lane] = static_cast<uint32_t>(BitsAt(stream, job.position, table_log_));
    job.position += static_cast<uint32_t>(table_log_);
  }
  const uint64_t readable_bits = 8 * (uint64_t{stream.size()} + slack_bytes);
  const uint64_t needed_bits = kRoundSize * static_cast<uint64_t>(most_bits_) + kSlackBits;
  // A lane's last residual has no next state, which rounds cannot handle.
  job.end = count - std::min(residual_count, static_cast<size_t>(lane_count));
  job.end = std::min(job.end, values.size());
  if (readable_bits >= needed_bits) {
    job.safe_position = static_cast<uint32_t>(readable_bits - needed_bits);
    Rounds(lane_count, order)(job);
  }
  return ReadRest(stream, order, count, values.size(), job, lane_count);
}

bool ResidualReader::ReadRest(std::string_view stream, int order, size_t count, size_t read_count,
                              RoundsJob& job, int lane_count) const {
  const auto stream_bits = static_cast<uint32_t>(8 * stream.size());
  const auto lanes = static_cast<size_t>(lane_count);
  size_t lane = (job.next - static_cast<size_t>(order)) % lanes;
  for (; job.next < read_count; lane = (lane + 1) % lanes) {
    if (job.position > stream_bits) return false;
    const uint32_t state = job.states[lane];
    const AnsEntry& entry = entries_[state];
    uint64_t word = BitsAt(stream, job.position, kWordBits);
    if (job.next + lanes < count) {
      job.states[lane] = entry.next_base + static_cast<uint32_t>(LowBits(word, entry.state_bits));
      job.position += entry.state_bits;
      word >>= entry.state_bits;
    }
    if (entry.state_bits + entry.offset_bits > kWordBits) {
      word = WideBitsAt(stream, job.position, entry.offset_bits);
    }
    job.position += entry.offset_bits;
    PutValue(lowers_[state] + factors_[entry.bin] * LowBits(word, entry.offset_bits), order, job);
  }
  if (job.position > stream_bits) return false;
  // All of them take neither more than the stream nor a whole byte less.
  return read_count < count || stream_bits - job.position < 8;
}

}  // namespace lockstep
