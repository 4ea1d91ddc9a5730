// Feeds the reader of event files. The first byte selects what the rest is: a file; the data of one
// record with correct checksums, to reach the messages; or a scalar's tensor.
#include <cstddef>
#include <cstdint>
#include <protozero/exception.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "import/traces/tensorboard/tensor_scalar.h"
#include "import/traces/tensorboard/tensorboard_reader.h"
#include "import/traces/tensorboard/tfrecord_testing.h"

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
    // Malformed input only needs to be reported.
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
