#include "ingest/logs/text/short_number.h"

namespace lockstep::logs {

const char* TakeShortExponent(const char* at, int decimals, double& digits) {
  constexpr int kMaxExponentDigits = 3;
  const bool is_negative = *at == '-';
  if (*at == '-' || *at == '+') ++at;
  const char* const begin = at;
  int written = 0;
  while (*at >= '0' && *at <= '9' && at - begin < kMaxExponentDigits) {
    written = written * 10 + (*at++ - '0');
  }
  const bool has_more = *at >= '0' && *at <= '9';
  if (at == begin || has_more) return nullptr;
  const int power = (is_negative ? -written : written) - decimals;
  if (power > kMaxExactPowerOfTen || power < -kMaxExactPowerOfTen) return nullptr;
  digits = power < 0 ? digits / kExactPowersOfTen[-power] : digits * kExactPowersOfTen[power];
  return at;
}

}  // namespace lockstep::logs
