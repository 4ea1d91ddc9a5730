// Feeds the reader of nsys tables. The first byte selects the size of the pieces, which must not
// change the outcome.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "import/traces/nsys/nsys_stats.h"

namespace lockstep::traces {
namespace {

struct TableOutcome {
  size_t record_count = 0;
  uint64_t row_count = 0;
  std::string problems;
  friend bool operator==(const TableOutcome&, const TableOutcome&) = default;
};

TableOutcome ReadTablesInPieces(std::string_view file, size_t piece_bytes) {
  NsysStatsReader reader;
  std::vector<TraceRecord> records;
  while (!file.empty()) {
    const std::string_view piece = file.substr(0, piece_bytes);
    reader.Feed(piece, records);
    file.remove_prefix(piece.size());
  }
  reader.Finish(records);
  return {records.size(), reader.row_count(), reader.problems().ToString()};
}

}  // namespace
}  // namespace lockstep::traces

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view file(reinterpret_cast<const char*>(data) + 1, size - 1);
  LOCKSTEP_CHECK(lockstep::traces::ReadTablesInPieces(file, 1 + data[0] % 61) ==
                 lockstep::traces::ReadTablesInPieces(file, file.size()));
  return 0;
}
