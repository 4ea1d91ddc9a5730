#include "storage/chunk/integers/integer_columns.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "storage/chunk/integers/bin_plan.h"
#include "storage/chunk/integers/packed_integers.h"

namespace lockstep {
namespace {

// The order is chosen by the encoded size of this many integers, taken from columns far apart.
constexpr size_t kTrialIntegers = 2048;

// The beginning of a long column, or all of a short one.
std::span<const int64_t> Trial(std::span<const int64_t> column) {
  return column.first(std::min(column.size(), kTrialIntegers));
}

int64_t Difference(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}

int64_t Sum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

void AppendResiduals(std::span<const int64_t> column, int order, std::vector<int64_t>& residuals) {
  if (order == 0) {
    residuals.insert(residuals.end(), column.begin(), column.end());
  } else if (order == 1) {
    for (size_t i = 1; i < column.size(); ++i) {
      residuals.push_back(Difference(column[i], column[i - 1]));
    }
  } else {
    for (size_t i = 2; i < column.size(); ++i) {
      residuals.push_back(Difference(Difference(column[i], column[i - 1]),
                                     Difference(column[i - 1], column[i - 2])));
    }
  }
}

// The size of a packed list, in bits.
double PackedBits(const std::vector<int64_t>& integers) {
  if (integers.empty()) return 0;
  const auto [low, high] = std::minmax_element(integers.begin(), integers.end());
  const auto range = static_cast<uint64_t>(*high) - static_cast<uint64_t>(*low);
  return static_cast<double>(integers.size()) * std::bit_width(range);
}

bool HasStreams(const BinSet& bins) {
  return bins.bins.size() > 1 || (bins.bins.size() == 1 && bins.bins[0].offset_bits > 0);
}

}  // namespace

void IntegerColumnsWriter::Add(std::span<const int64_t> column) {
  integers_.insert(integers_.end(), column.begin(), column.end());
  ends_.push_back(integers_.size());
}

std::span<const int64_t> IntegerColumnsWriter::Column(size_t column) const {
  const size_t begin = column == 0 ? 0 : ends_[column - 1];
  return std::span(integers_).subspan(begin, ends_[column] - begin);
}

int IntegerColumnsWriter::ChooseOrder(uint64_t unit_hint) const {
  const size_t stride = std::max<size_t>(1, integers_.size() / kTrialIntegers);
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  std::vector<int64_t> residuals, firsts;
  for (int order = 0; order <= kMaxOrder; ++order) {
    residuals.clear();
    double bit_count = 0;
    for (int rank = 0; rank < order; ++rank) {
      firsts.clear();
      for (size_t column = 0; column < column_count(); column += stride) {
        const std::span<const int64_t> integers = Trial(Column(column));
        if (rank == 0) firsts.push_back(integers[0]);
        if (rank == 1 && integers.size() > 1)
          firsts.push_back(Difference(integers[1], integers[0]));
      }
      bit_count += PackedBits(firsts);
    }
    for (size_t column = 0; column < column_count(); column += stride) {
      AppendResiduals(Trial(Column(column)), order, residuals);
    }
    bit_count += PlanBins(residuals, unit_hint).bit_count;
    if (bit_count >= least) continue;
    least = bit_count;
    best = order;
  }
  return best;
}

void IntegerColumnsWriter::PutFirsts(int order, std::string& out) const {
  std::vector<int64_t> firsts, first_differences;
  for (size_t column = 0; column < column_count(); ++column) {
    const std::span<const int64_t> integers = Column(column);
    firsts.push_back(integers[0]);
    first_differences.push_back(integers.size() == 1 ? 0 : Difference(integers[1], integers[0]));
  }
  if (order >= 1) PutPackedIntegers(out, firsts);
  if (order == 2) PutPackedIntegers(out, first_differences);
}

void IntegerColumnsWriter::Finish(uint64_t unit_hint, std::string& out) {
  const int order = ChooseOrder(unit_hint);
  out.push_back(static_cast<char>(order));
  PutFirsts(order, out);
  residuals_.clear();
  for (size_t column = 0; column < column_count(); ++column) {
    AppendResiduals(Column(column), order, residuals_);
  }
  const BinSet bins = PlanBins(residuals_, unit_hint).set;
  PutBinSet(out, bins);
  if (HasStreams(bins)) {
    ResidualWriter writer(bins);
    std::string streams;
    std::vector<int64_t> sizes;
    size_t at = 0;
    for (size_t column = 0; column < column_count(); ++column) {
      const size_t leading = std::min(Column(column).size(), static_cast<size_t>(order));
      const size_t count = Column(column).size() - leading;
      const size_t size_before = streams.size();
      writer.Write(std::span(residuals_).subspan(at, count), streams);
      sizes.push_back(static_cast<int64_t>(streams.size() - size_before));
      at += count;
    }
    PutPackedIntegers(out, sizes);
    out += streams;
  }
  integers_.clear();
  ends_.clear();
}

bool IntegerColumnsReader::GetFirsts(std::string_view& in, size_t column_count) {
  if (in.empty()) return false;
  order_ = static_cast<unsigned char>(in.front());
  in.remove_prefix(1);
  if (order_ > kMaxOrder) return false;
  firsts_.resize(order_ >= 1 ? column_count : 0);
  first_differences_.resize(order_ == 2 ? column_count : 0);
  return GetPackedIntegers(in, firsts_) && GetPackedIntegers(in, first_differences_);
}

bool IntegerColumnsReader::GetStreams(std::string_view& in, size_t column_count) {
  streams_ = in;
  stream_ends_.assign(column_count, 0);
  if (!HasStreams(bins_)) return true;
  sizes_.resize(column_count);
  if (!GetPackedIntegers(in, sizes_)) return false;
  streams_ = in;
  size_t end = 0;
  for (size_t column = 0; column < column_count; ++column) {
    if (sizes_[column] < 0 || static_cast<uint64_t>(sizes_[column]) > in.size() - end) return false;
    end += static_cast<size_t>(sizes_[column]);
    stream_ends_[column] = end;
  }
  in.remove_prefix(end);
  return true;
}

bool IntegerColumnsReader::Open(std::string_view& in, std::span<const uint32_t> counts) {
  has_tables_ = false;
  if (!GetFirsts(in, counts.size()) || !GetBinSet(in, bins_)) return false;
  const bool has_residuals = std::any_of(counts.begin(), counts.end(), [this](uint32_t count) {
    return count > static_cast<uint32_t>(order_);
  });
  if (has_residuals && bins_.bins.empty()) return false;
  return GetStreams(in, counts.size());
}

bool IntegerColumnsReader::ReadFirst(size_t column, int64_t base, size_t count,
                                     std::span<int64_t> values) {
  if (order_ >= 1) values[0] = Sum(firsts_[column], base);
  if (order_ == 2 && values.size() > 1) values[1] = Sum(values[0], first_differences_[column]);
  if (values.size() <= static_cast<size_t>(order_)) return true;
  if (!has_tables_) residuals_.Reset(bins_);
  has_tables_ = true;
  const size_t begin = column == 0 ? 0 : stream_ends_[column - 1];
  const size_t end = stream_ends_[column];
  const std::string_view stream = streams_.substr(begin, end - begin);
  if (!residuals_.ReadFirst(stream, streams_.size() - end, order_, count, values)) return false;
  if (order_ == 0 && base != 0) {
    for (int64_t& value : values) value = Sum(value, base);
  }
  return true;
}

}  // namespace lockstep
