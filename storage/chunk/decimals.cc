#include "storage/chunk/decimals.h"

#include <emmintrin.h>
#include <immintrin.h>

#include <cmath>

namespace lockstep {
namespace {

// Powers of ten up to 10^22 are exact, so a quotient is rounded only once: it is the float nearest
// to the decimal.
constexpr double kPowersOfTen[kMaxExponent + 1] = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16};
constexpr double kMaxMagnitude = 0x1p62;

void PortableDecimals(std::span<const int64_t> integers, int exponent, double* values) {
  const double power = kPowersOfTen[exponent];
  for (const int64_t integer : integers) *values++ = static_cast<double>(integer) / power;
}

void PortableOrderedBits(std::span<const int64_t> integers, double* values) {
  for (const int64_t integer : integers) {
    const auto flipped = static_cast<int64_t>(static_cast<uint64_t>(integer >> 63) >> 1);
    *values++ = std::bit_cast<double>(integer ^ flipped);
  }
}

#define LOCKSTEP_AVX2 __attribute__((target("avx2,fma")))

// Converts four 64-bit integers to the nearest floats. Their upper 16 bits are steps of 2^48 above
// 3 * 2^67, and their lower 48 bits are steps of one above 2^52; both floats are built without
// rounding, and so is the subtraction of both bases from the upper one. Only the last addition
// rounds.
LOCKSTEP_AVX2 inline __m256d ToDoubles(__m256i integers) {
  const __m256d high_base = _mm256_set1_pd(0x3p67);
  const __m256d low_base = _mm256_set1_pd(0x1p52);
  const __m256d both_bases = _mm256_set1_pd(0x3p67 + 0x1p52);
  __m256i high = _mm256_srai_epi32(integers, 16);
  high = _mm256_blend_epi16(high, _mm256_setzero_si256(), 0x33);
  high = _mm256_add_epi64(high, _mm256_castpd_si256(high_base));
  const __m256i low = _mm256_blend_epi16(integers, _mm256_castpd_si256(low_base), 0x88);
  return _mm256_add_pd(_mm256_sub_pd(_mm256_castsi256_pd(high), both_bases),
                       _mm256_castsi256_pd(low));
}

// Quotients by 10^exponent without a division: a product with the rounded reciprocal is off by at
// most 2 units in the last place. Its remainder, which one fused step computes exactly because
// 5^exponent has at most 38 bits, corrects it. The result is the rounded quotient: a quotient that
// is not exactly halfway between two floats is more than 2^-39 units away from halfway, and the
// correction is off by at most 2^-51.
LOCKSTEP_AVX2 void Avx2Decimals(std::span<const int64_t> integers, int exponent, double* values) {
  const __m256d power = _mm256_set1_pd(kPowersOfTen[exponent]);
  const __m256d reciprocal = _mm256_set1_pd(1 / kPowersOfTen[exponent]);
  const size_t whole_count = integers.size() / 4 * 4;
  for (size_t i = 0; i < whole_count; i += 4) {
    const __m256d dividends =
        ToDoubles(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(integers.data() + i)));
    const __m256d estimate = _mm256_mul_pd(dividends, reciprocal);
    const __m256d remainder = _mm256_fnmadd_pd(estimate, power, dividends);
    _mm256_storeu_pd(values + i, _mm256_fmadd_pd(remainder, reciprocal, estimate));
  }
  PortableDecimals(integers.subspan(whole_count), exponent, values + whole_count);
}

LOCKSTEP_AVX2 void Avx2Integers(std::span<const int64_t> integers, double* values) {
  const size_t whole_count = integers.size() / 4 * 4;
  for (size_t i = 0; i < whole_count; i += 4) {
    _mm256_storeu_pd(
        values + i,
        ToDoubles(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(integers.data() + i))));
  }
  PortableDecimals(integers.subspan(whole_count), 0, values + whole_count);
}

LOCKSTEP_AVX2 void Avx2OrderedBits(std::span<const int64_t> integers, double* values) {
  const size_t whole_count = integers.size() / 4 * 4;
  for (size_t i = 0; i < whole_count; i += 4) {
    const __m256i ordered =
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(integers.data() + i));
    const __m256i is_negative = _mm256_cmpgt_epi64(_mm256_setzero_si256(), ordered);
    const __m256i bits = _mm256_xor_si256(ordered, _mm256_srli_epi64(is_negative, 1));
    _mm256_storeu_pd(values + i, _mm256_castsi256_pd(bits));
  }
  PortableOrderedBits(integers.subspan(whole_count), values + whole_count);
}

}  // namespace

std::optional<int64_t> AsDecimal(double value, int exponent) {
  const double scaled = value * kPowersOfTen[exponent];
  if (!(std::fabs(scaled) <= kMaxMagnitude)) return std::nullopt;
  const int64_t integer = _mm_cvtsd_si64(_mm_set_sd(scaled));
  const double back = static_cast<double>(integer) / kPowersOfTen[exponent];
  if (std::bit_cast<uint64_t>(back) != std::bit_cast<uint64_t>(value)) return std::nullopt;
  return integer;
}

void IntegersToDecimals(std::span<const int64_t> integers, int exponent, double* values,
                        CodecBuild build) {
  if (build == CodecBuild::kPortable) return PortableDecimals(integers, exponent, values);
  if (exponent == 0) return Avx2Integers(integers, values);
  Avx2Decimals(integers, exponent, values);
}

void OrderedBitsToValues(std::span<const int64_t> integers, double* values, CodecBuild build) {
  if (build == CodecBuild::kPortable) return PortableOrderedBits(integers, values);
  Avx2OrderedBits(integers, values);
}

}  // namespace lockstep
