// Decodes plain data points, the usual ones with a value and without exemplars: in place, without
// decoding attributes, with fields in any order. Pure functions.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace lockstep::otlp {

struct PlainPoint {
  std::string_view attributes;  // their fields, including tags
  uint64_t start_ns = 0;
  uint64_t time_ns = 0;
};

struct PlainNumberPoint : PlainPoint {
  double value = 0;
};

// Undecoded numbers of eight bytes each.
class PlainNumbers {
 public:
  PlainNumbers() = default;
  explicit PlainNumbers(std::string_view bytes) : bytes_(bytes) {}

  size_t size() const { return bytes_.size() / 8; }
  // For fixed64 and for double.
  uint64_t Count(size_t i) const { return At<uint64_t>(i); }
  double Bound(size_t i) const { return At<double>(i); }

 private:
  template <typename Number>
  Number At(size_t i) const {
    Number number;
    static_assert(sizeof(number) == 8);
    std::memcpy(&number, bytes_.data() + 8 * i, sizeof(number));
    return number;
  }

  std::string_view bytes_;
};

struct PlainHistogramPoint : PlainPoint {
  uint64_t count = 0;
  bool has_sum = false;
  double sum = 0;
  PlainNumbers bucket_counts;
  PlainNumbers bounds;
};

// False for anything else, malformed or unusual; then `point` is unspecified.
[[nodiscard]] bool ReadPlainPoint(std::string_view message, PlainNumberPoint& point);
[[nodiscard]] bool ReadPlainPoint(std::string_view message, PlainHistogramPoint& point);

}  // namespace lockstep::otlp
