// Feeds dumps and stacks: whatever is read must survive being kept, and be explained.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "hang/dump/evidence.h"
#include "hang/find/find_hang.h"
#include "hang/find/hang_words.h"
#include "hang/record/record_coding.h"

namespace lockstep::hang {
namespace {

void Check(std::string_view bytes) {
  const absl::StatusOr<RankRecord> read = ReadEvidence(bytes, nullptr);
  if (!read.ok()) return;
  const std::string row = EncodeRecord("job", *read);
  NamedRecord named;
  LOCKSTEP_CHECK(DecodeRecord(row, named));
  LOCKSTEP_CHECK(EncodeRecord("job", named.record) == row);
  // Of two ranks, so that they are compared.
  std::vector<RankRecord> records = {named.record, named.record};
  records[1].rank = 1;
  if (!records[1].operations.empty()) records[1].operations.pop_back();
  (void)TextOf("job", *FindHang(records, {}, nullptr));
}

}  // namespace
}  // namespace lockstep::hang

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  lockstep::hang::Check(bytes);
  lockstep::hang::NamedRecord named;
  (void)lockstep::hang::DecodeRecord(bytes, named);
  return 0;
}
