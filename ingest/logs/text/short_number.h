// Parses numbers of at most fifteen digits, the most common in logs: SSE 4.1 reads all digits at
// once, without a loop or branch over their count. Pure functions.
#pragma once

#include <smmintrin.h>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace lockstep::logs {

// The bytes examined: a sign, sixteen bytes with the point, and an exponent.
inline constexpr size_t kShortNumberBytes = 32;

// A double holds these powers of ten exactly, so scaling by one rounds only once.
inline constexpr int kMaxExactPowerOfTen = 22;
inline constexpr double kExactPowersOfTen[kMaxExactPowerOfTen + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Parses the exponent after 'e' and scales `digits` by it and by the decimals. Returns its end;
// null if the power is not one of those above.
const char* TakeShortExponent(const char* at, int decimals, double& digits);

// Parses the number at `at` into `value` and returns its end. Null if there is none ("." and "+"
// are not numbers), or if it needs more than one rounding: too many digits, or a power of ten that
// a double does not hold exactly. kShortNumberBytes must be readable; the caller must check that
// the end is within the text.
inline const char* TakeShortNumber(const char* at, double& value) {
  constexpr uint32_t kWindowBytes = 16;
  const bool is_negative = *at == '-';
  at += is_negative ? 1 : 0;
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  const __m128i digits = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
  const __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
  const auto others = ~static_cast<uint32_t>(_mm_movemask_epi8(is_digit));
  const auto whole_count = static_cast<uint32_t>(std::countr_zero(others));
  uint32_t count = whole_count;
  uint32_t end = whole_count;
  if (at[whole_count] == '.') {
    end = static_cast<uint32_t>(std::countr_zero(others & (others - 1)));
    if (end == whole_count + 1) return nullptr;
    count = end - 1;
  }
  if (whole_count == 0 || end >= kWindowBytes) return nullptr;
  // Shuffles the digits to the right end, without the point, after leading zeros: a negative index
  // yields zero.
  const __m128i iota = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m128i from = _mm_add_epi8(iota, _mm_set1_epi8(static_cast<char>(count - kWindowBytes)));
  const __m128i is_behind_point =
      _mm_cmpgt_epi8(from, _mm_set1_epi8(static_cast<char>(whole_count - 1)));
  const __m128i ones = _mm_shuffle_epi8(digits, _mm_sub_epi8(from, is_behind_point));
  const __m128i pairs = _mm_maddubs_epi16(ones, _mm_set1_epi16(0x010a));    // 10, 1
  const __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x00010064));  // 100, 1
  const __m128i eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours),
                                        _mm_set1_epi32(0x00012710));  // 10000, 1
  const auto halves = static_cast<uint64_t>(_mm_cvtsi128_si64(eights));
  const uint64_t integer = (halves & 0xffffffff) * 100'000'000 + (halves >> 32);
  const int decimals = static_cast<int>(end - whole_count) - (end == whole_count ? 0 : 1);
  value = static_cast<double>(static_cast<int64_t>(integer));
  at += end;
  if (*at == 'e' || *at == 'E') {
    at = TakeShortExponent(at + 1, decimals, value);
  } else if (decimals > 0) {
    value /= kExactPowersOfTen[decimals];
  }
  value = is_negative ? -value : value;
  return at;
}

}  // namespace lockstep::logs
