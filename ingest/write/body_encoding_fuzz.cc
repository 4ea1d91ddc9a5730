// Feeds compressed bodies; the first byte selects the encoding and the size limit. The plain body
// and the memory it uses must stay within the limit.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/budget/memory_budget.h"
#include "base/check.h"
#include "ingest/write/body_encoding.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;
  constexpr BodyEncoding kEncodings[] = {BodyEncoding::kIdentity, BodyEncoding::kSnappy,
                                         BodyEncoding::kGzip, BodyEncoding::kDeflate,
                                         BodyEncoding::kZstd};
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const BodyEncoding encoding = kEncodings[data[0] % std::size(kEncodings)];
  const size_t max_bytes = size_t{64} << (data[0] / 16);
  MemoryBudget budget(4 * max_bytes + (1 << 10));
  MemoryCharge memory(MemoryAccount::kDecoding, budget);
  std::string scratch;
  const auto plain = DecodeBody(encoding, body, max_bytes, scratch, &memory);
  if (plain.ok()) LOCKSTEP_CHECK(plain->size() <= max_bytes);
  // An empty string may hold a few bytes without allocating.
  LOCKSTEP_CHECK(scratch.capacity() <= max_bytes + 16);
  GuessBodyEncoding(body);
  return 0;
}
