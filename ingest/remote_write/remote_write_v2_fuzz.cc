// Feeds remote write 2.0 bodies: decompression, protobuf, validation. The first byte selects the
// encoding.
#include "ingest/remote_write/remote_write_v2.h"

#include <cstdint>
#include <string_view>

#include "ingest/remote_write/remote_write_v2_testing.h"
#include "ingest/write/write_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  lockstep::CheckWriteBody(
      lockstep::EncodingOf(data[0]), body, lockstep::DecodeRemoteWriteV2,
      [](const lockstep::WriteRequest& request) { return lockstep::EncodeRemoteWriteV2(request); });
  return 0;
}
