// Feeds the reader of event files. The first byte chooses: the rest as a file; as the data of one record, with
// right checksums, so that the messages are reached; or as the tensor of a scalar.
#include <cstddef>
#include <cstdint>
#include <protozero/exception.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "import/traces/tensor_scalar.h"
#include "import/traces/tensorboard_reader.h"

namespace lockstep::traces {
namespace {

std::vector<TraceRecord> ReadAll(std::string_view file, size_t piece_bytes) {
  TensorboardReader reader;
  std::vector<TraceRecord> records;
  while (!file.empty()) {
    const std::string_view piece = file.substr(0, piece_bytes);
    reader.Feed(piece, records);
    file.remove_prefix(piece.size());
  }
  reader.Finish();
  return records;
}

void ReadTensor(std::string_view tensor) {
  try {
    ReadTensorScalar(tensor);
  } catch (const protozero::exception&) {
    // Malformed; that it is said is all.
  }
}

}  // namespace
}  // namespace lockstep::traces

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using lockstep::traces::PutTfRecord;
  using lockstep::traces::ReadAll;
  using lockstep::traces::ReadTensor;
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 3 == 2) {
    ReadTensor(rest);
    return 0;
  }
  std::string file(rest);
  if (data[0] % 3 == 1) {
    file.clear();
    PutTfRecord(file, rest);
  }
  LOCKSTEP_CHECK(ReadAll(file, 1 + data[0] % 7).size() == ReadAll(file, file.size()).size());
  return 0;
}
