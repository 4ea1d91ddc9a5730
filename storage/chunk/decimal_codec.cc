#include "storage/chunk/decimal_codec.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

#include "absl/strings/str_format.h"
#include "base/coding.h"
#include "storage/chunk/integer_codec.h"

namespace lockstep {
namespace {

// Powers of ten up to 10^22 are exact doubles, so the quotient below is rounded once and is the
// double that is nearest to the decimal.
constexpr double kPowersOfTen[] = {1e0, 1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7, 1e8,
                                   1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16};
constexpr size_t kMaxExponent = std::size(kPowersOfTen) - 1;
constexpr double kMaxInteger = 9007199254740992.0;  // 2^53
// Above one value in this many the patches cost more than they save.
constexpr size_t kValuesPerException = 8;

struct Exception {
  size_t index;
  uint64_t bits;
};

std::optional<int64_t> AsDecimal(double value, size_t exponent) {
  const double scaled = value * kPowersOfTen[exponent];
  if (!(std::fabs(scaled) <= kMaxInteger)) return std::nullopt;
  const int64_t integer = std::llrint(scaled);
  const double back = static_cast<double>(integer) / kPowersOfTen[exponent];
  if (std::bit_cast<uint64_t>(back) != std::bit_cast<uint64_t>(value)) return std::nullopt;
  return integer;
}

// The smallest exponent that serves all values but the exceptions; nothing if those are too many.
std::optional<size_t> ChooseExponent(std::span<const double> values, size_t max_exceptions) {
  size_t exponent = 0;
  size_t exception_count = 0;
  for (const double value : values) {
    size_t trial = exponent;
    while (trial <= kMaxExponent && !AsDecimal(value, trial)) ++trial;
    if (trial <= kMaxExponent) {
      exponent = trial;
    } else if (++exception_count > max_exceptions) {
      return std::nullopt;
    }
  }
  return exponent;
}

absl::Status Malformed(const char* what) {
  return absl::DataLossError(std::string("decimal stream: ") + what);
}

absl::Status GetExceptions(std::string_view& in, size_t count, std::vector<Exception>& exceptions) {
  uint64_t exception_count;
  if (!GetVarint64(in, exception_count) || exception_count > count) {
    return Malformed("bad number of exceptions");
  }
  size_t index = 0;
  for (uint64_t i = 0; i < exception_count; ++i) {
    uint64_t gap;
    Exception exception{};
    if (!GetVarint64(in, gap) || !GetFixed64(in, exception.bits)) {
      return Malformed("an exception is cut short");
    }
    if (gap >= count - index || (i > 0 && gap == 0)) return Malformed("an exception is misplaced");
    index += gap;
    exception.index = index;
    exceptions.push_back(exception);
  }
  return absl::OkStatus();
}

}  // namespace

bool EncodeDecimal(std::string& out, std::span<const double> values) {
  const size_t max_exceptions = values.size() / kValuesPerException + 1;
  const std::optional<size_t> exponent = ChooseExponent(values, max_exceptions);
  if (!exponent) return false;

  std::vector<int64_t> integers;
  integers.reserve(values.size());
  std::vector<Exception> exceptions;
  int64_t previous = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (const std::optional<int64_t> integer = AsDecimal(values[i], *exponent)) {
      previous = *integer;
    } else {
      exceptions.push_back({i, std::bit_cast<uint64_t>(values[i])});
    }
    integers.push_back(previous);
  }
  // A large exponent can push values out of range that a smaller one had served.
  if (exceptions.size() > max_exceptions) return false;

  out.push_back(static_cast<char>(*exponent));
  PutVarint64(out, exceptions.size());
  size_t index = 0;
  for (const Exception& exception : exceptions) {
    PutVarint64(out, exception.index - index);
    PutFixed64(out, exception.bits);
    index = exception.index;
  }
  EncodeIntegers(out, integers);
  return true;
}

absl::Status DecodeDecimal(std::string_view& in, size_t count, std::vector<double>& values) {
  values.clear();
  if (in.empty()) return Malformed("it is empty");
  const auto exponent = static_cast<unsigned char>(in.front());
  in.remove_prefix(1);
  if (exponent > kMaxExponent) {
    return absl::DataLossError(
        absl::StrFormat("decimal stream: exponent %d is above %d", exponent, kMaxExponent));
  }
  std::vector<Exception> exceptions;
  LOCKSTEP_RETURN_IF_ERROR(GetExceptions(in, count, exceptions));
  std::vector<int64_t> integers;
  LOCKSTEP_RETURN_IF_ERROR(DecodeIntegers(in, count, integers));
  values.reserve(count);
  for (const int64_t integer : integers) {
    values.push_back(static_cast<double>(integer) / kPowersOfTen[exponent]);
  }
  for (const Exception& exception : exceptions) {
    values[exception.index] = std::bit_cast<double>(exception.bits);
  }
  return absl::OkStatus();
}

}  // namespace lockstep
