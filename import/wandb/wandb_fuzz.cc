// Feeds the reader of W&B's transaction logs. The first byte selects what the rest is: a file, or
// records of a valid one with correct checksums, to reach the messages.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "import/wandb/wandb_log_testing.h"
#include "import/wandb/wandb_reader.h"

namespace lockstep::wandb {
namespace {

size_t CountValues(std::string_view file, size_t piece_bytes) {
  size_t count = 0;
  WandbReader reader([&count](const WandbRow& row) { count += row.values.size(); });
  while (!file.empty()) {
    const std::string_view piece = file.substr(0, piece_bytes);
    reader.Feed(piece);
    file.remove_prefix(piece.size());
  }
  reader.Finish();
  return count;
}

}  // namespace
}  // namespace lockstep::wandb

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using lockstep::wandb::CountValues;
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string file(rest);
  if (data[0] % 2 == 1) {
    file.clear();
    lockstep::wandb::PutWandbRecord(file, rest);
  }
  LOCKSTEP_CHECK(CountValues(file, 1 + data[0] % 7) == CountValues(file, file.size() + 1));
  return 0;
}
