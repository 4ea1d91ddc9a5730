// Writes TFRecord files for tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "import/traces/tensorboard/tfrecord.h"

namespace lockstep::traces {

// Appends `data` as a record.
inline void PutTfRecord(std::string& out, std::string_view data) {
  const auto put = [&out](auto value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  const size_t start = out.size();
  put(uint64_t{data.size()});
  put(MaskedCrc32c(std::string_view(out).substr(start, sizeof(uint64_t))));
  out += data;
  put(MaskedCrc32c(data));
}

}  // namespace lockstep::traces
