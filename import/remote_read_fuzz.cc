// Feeds remote read responses. The first byte selects frames (0) or samples, whole or in small
// pieces (2 and above).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "import/remote_read.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool is_streamed = data[0] % 2 == 0;
  const size_t piece_bytes = data[0] < 2 ? body.size() : data[0];
  lockstep::importer::RemoteReadAnswer answer(
      [](const lockstep::LabelSet&, const lockstep::SampleColumns&) { return absl::OkStatus(); });
  while (!body.empty()) {
    const std::string_view piece = body.substr(0, piece_bytes);
    body.remove_prefix(piece.size());
    if (!answer.Feed(piece, is_streamed).ok()) return 0;
  }
  answer.Finish(is_streamed).IgnoreError();
  return 0;
}
