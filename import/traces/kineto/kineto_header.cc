#include "import/traces/kineto/kineto_header.h"

#include <simdjson.h>

#include <limits>

namespace lockstep::traces {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

std::optional<int32_t> SmallCount(object from, std::string_view key) {
  int64_t count = 0;
  if (from.at_key(key).get(count) != simdjson::SUCCESS) return std::nullopt;
  if (count < 0 || count > std::numeric_limits<int32_t>::max()) return std::nullopt;
  return static_cast<int32_t>(count);
}

std::string Text(object from, std::string_view key) {
  std::string_view text;
  if (from.at_key(key).get(text) != simdjson::SUCCESS) return {};
  return std::string(text);
}

bool ReadDistributedInfo(element value, KinetoHeader& header) {
  object info;
  if (value.get(info) != simdjson::SUCCESS) return false;
  header.rank = SmallCount(info, "rank");
  header.world_size = SmallCount(info, "world_size");
  header.backend = Text(info, "backend");
  header.nccl_version = Text(info, "nccl_version");
  return true;
}

bool ReadDeviceProperties(element value, KinetoHeader& header) {
  array devices;
  if (value.get(devices) != simdjson::SUCCESS) return false;
  object first;
  if (devices.at(0).get(first) == simdjson::SUCCESS) header.device_name = Text(first, "name");
  return true;
}

bool ReadBaseTime(element value, KinetoHeader& header) {
  int64_t base_time_ns = 0;
  if (value.get(base_time_ns) != simdjson::SUCCESS || base_time_ns < 0) return false;
  header.base_time_ns = base_time_ns;
  return true;
}

}  // namespace

bool ReadHeaderMember(std::string_view name, std::string_view json, KinetoHeader& header) {
  bool (*read)(element, KinetoHeader&) = nullptr;
  if (name == "distributedInfo") read = ReadDistributedInfo;
  if (name == "deviceProperties") read = ReadDeviceProperties;
  if (name == "baseTimeNanoseconds") read = ReadBaseTime;
  if (read == nullptr) return true;
  simdjson::dom::parser parser;
  element value;
  if (parser.parse(json.data(), json.size()).get(value) != simdjson::SUCCESS) return false;
  return read(value, header);
}

}  // namespace lockstep::traces
