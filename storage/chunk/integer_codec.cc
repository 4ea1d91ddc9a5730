#include "storage/chunk/integer_codec.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/coding.h"
#include "storage/chunk/bit_stream.h"

namespace lockstep {
namespace {

constexpr int kMaxOrder = 2;
constexpr int kMaxK = 62;
constexpr int kAllZero = 63;  // in place of k

// What is left of the values at one order, and how it is best written.
struct Plan {
  int order = 0;
  int k = kAllZero;
  uint64_t bit_count = 0;  // of all residuals
  std::string leading;     // as bytes
  std::vector<uint64_t> residuals;

  uint64_t byte_count() const { return leading.size() + (bit_count + 7) / 8; }
};

uint64_t Zigzag(uint64_t difference) { return (difference << 1) ^ (0 - (difference >> 63)); }
uint64_t Unzigzag(uint64_t residual) { return (residual >> 1) ^ (0 - (residual & 1)); }

int CodeWidth(int residual_width, int k) {
  const int n = std::max(0, residual_width - k);
  return n + 1 + std::max(0, n - 1) + k;
}

// Sets k and bit_count to the best for the residuals, of which only the widths matter.
void ChooseK(Plan& plan) {
  std::array<uint64_t, 65> count_by_width{};
  int max_width = 0;
  for (const uint64_t residual : plan.residuals) {
    const int width = std::bit_width(residual);
    ++count_by_width[width];
    max_width = std::max(max_width, width);
  }
  if (max_width == 0) return;
  plan.bit_count = ~uint64_t{0};
  // A k above every width only makes each code longer.
  for (int k = 0; k <= std::min(max_width, kMaxK); ++k) {
    uint64_t bit_count = 0;
    for (int width = 0; width <= max_width; ++width) {
      bit_count += count_by_width[width] * static_cast<uint64_t>(CodeWidth(width, k));
    }
    if (bit_count < plan.bit_count) {
      plan.bit_count = bit_count;
      plan.k = k;
    }
  }
}

Plan PlanBase(std::span<const int64_t> values) {
  Plan plan;
  const int64_t base = *std::min_element(values.begin(), values.end());
  PutVarintSigned64(plan.leading, base);
  plan.residuals.reserve(values.size());
  for (const int64_t value : values) {
    plan.residuals.push_back(static_cast<uint64_t>(value) - static_cast<uint64_t>(base));
  }
  ChooseK(plan);
  return plan;
}

// Precondition: values.size() >= order, 1 <= order.
Plan PlanDifferences(std::span<const int64_t> values, int order) {
  Plan plan;
  plan.order = order;
  std::vector<uint64_t>& differences = plan.residuals;
  differences.assign(values.begin(), values.end());
  for (int pass = 0; pass < order; ++pass) {
    for (size_t i = differences.size() - 1; i > 0; --i) differences[i] -= differences[i - 1];
    PutVarintSigned64(plan.leading, static_cast<int64_t>(differences.front()));
    differences.erase(differences.begin());
  }
  for (uint64_t& difference : differences) difference = Zigzag(difference);
  ChooseK(plan);
  return plan;
}

void PutResidual(BitWriter& bits, uint64_t residual, int k) {
  const uint64_t high = residual >> k;
  const int n = std::bit_width(high);
  bits.PutUnary(n);
  if (n > 1) bits.Put(high ^ (uint64_t{1} << (n - 1)), n - 1);
  bits.Put(residual & ((uint64_t{1} << k) - 1), k);
}

bool GetResidual(BitReader& bits, int k, uint64_t& residual) {
  int n;
  if (!bits.GetUnary(n) || n > 64 - k) return false;
  uint64_t high = 0, low = 0;
  if (n > 0) {
    if (!bits.Get(n - 1, high)) return false;
    high |= uint64_t{1} << (n - 1);
  }
  if (!bits.Get(k, low)) return false;
  residual = (high << k) | low;
  return true;
}

absl::Status Malformed(const char* what) {
  return absl::DataLossError(std::string("integer stream: ") + what);
}

// Fills `values` with the residuals, undoing the zigzag.
absl::Status GetResiduals(std::string_view& in, int order, int k, std::span<int64_t> values) {
  if (k == kAllZero) {
    std::fill(values.begin(), values.end(), 0);
    return absl::OkStatus();
  }
  BitReader bits(in);
  for (int64_t& value : values) {
    uint64_t residual;
    if (!GetResidual(bits, k, residual)) return Malformed("a residual is cut short or too wide");
    value = static_cast<int64_t>(order == 0 ? residual : Unzigzag(residual));
  }
  if (!bits.Finish(in)) return Malformed("the padding is not zero");
  return absl::OkStatus();
}

void AddBase(std::span<int64_t> values, int64_t base) {
  for (int64_t& value : values) {
    value = static_cast<int64_t>(static_cast<uint64_t>(value) + static_cast<uint64_t>(base));
  }
}

void SumUp(std::span<int64_t> values) {
  uint64_t sum = 0;
  for (int64_t& value : values) {
    sum += static_cast<uint64_t>(value);
    value = static_cast<int64_t>(sum);
  }
}

}  // namespace

void EncodeIntegers(std::string& out, std::span<const int64_t> values) {
  if (values.empty()) return;
  Plan best = PlanBase(values);
  for (int order = 1; order <= kMaxOrder && values.size() >= static_cast<size_t>(order); ++order) {
    Plan plan = PlanDifferences(values, order);
    if (plan.byte_count() < best.byte_count()) best = std::move(plan);
  }
  out.push_back(static_cast<char>(best.order << 6 | best.k));
  out += best.leading;
  if (best.k == kAllZero) return;
  BitWriter bits(out);
  for (const uint64_t residual : best.residuals) PutResidual(bits, residual, best.k);
  bits.Finish();
}

absl::Status DecodeIntegers(std::string_view& in, size_t count, std::vector<int64_t>& values) {
  values.clear();
  if (count == 0) return absl::OkStatus();
  if (in.empty()) return Malformed("it is empty");
  const auto head = static_cast<unsigned char>(in.front());
  in.remove_prefix(1);
  const int order = head >> 6;
  const int k = head & 63;
  if (order > kMaxOrder || count < static_cast<size_t>(order)) return Malformed("unknown order");

  int64_t first, second = 0;
  if (!GetVarintSigned64(in, first) || (order == 2 && !GetVarintSigned64(in, second))) {
    return Malformed("a leading value is cut short");
  }
  values.resize(count);
  LOCKSTEP_RETURN_IF_ERROR(
      GetResiduals(in, order, k, std::span(values).subspan(static_cast<size_t>(order))));
  if (order == 0) {
    AddBase(values, first);
    return absl::OkStatus();
  }
  if (order == 2) {
    values[1] = second;
    SumUp(std::span(values).subspan(1));
  }
  values[0] = first;
  SumUp(values);
  return absl::OkStatus();
}

}  // namespace lockstep
