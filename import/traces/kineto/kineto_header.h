// A profiler trace's metadata. Pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::traces {

struct KinetoHeader {
  // From distributedInfo; absent if the program was not distributed.
  std::optional<int32_t> rank;
  std::optional<int32_t> world_size;
  std::string backend;       // "nccl"
  std::string nccl_version;  // "2.28.9"
  std::string device_name;   // of the first device: "NVIDIA H200"
  // The base of event times; absent in older traces, whose times start in 1970.
  std::optional<int64_t> base_time_ns;
};

// Adds the document's member `name` to `header`. False if the member is read here and malformed.
bool ReadHeaderMember(std::string_view name, std::string_view json, KinetoHeader& header);

}  // namespace lockstep::traces
