#include "import/traces/kineto/kineto_event.h"

#include <simdjson.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

namespace lockstep::traces {
namespace {

namespace ondemand = simdjson::ondemand;

// In the year 2112: a time plus an equally long duration still fits into 63 bits of nanoseconds.
constexpr double kLastMicrosecond = 4.5e15;

constexpr std::pair<std::string_view, KinetoKind> kCategories[] = {
    {"kernel", KinetoKind::kKernel},
    {"gpu_memcpy", KinetoKind::kMemcpy},
    {"gpu_memset", KinetoKind::kMemset},
    {"user_annotation", KinetoKind::kHostAnnotation},
    {"gpu_user_annotation", KinetoKind::kDeviceAnnotation},
    {"cuda_runtime", KinetoKind::kLaunch},
    {"cuda_driver", KinetoKind::kLaunch},
    // Up to PyTorch 1.12.
    {"Kernel", KinetoKind::kKernel},
    {"Memcpy", KinetoKind::kMemcpy},
    {"Memset", KinetoKind::kMemset},
    {"Runtime", KinetoKind::kLaunch},
};

KinetoKind KindOf(std::string_view category) {
  for (const auto& [name, kind] : kCategories) {
    if (name == category) return kind;
  }
  return KinetoKind::kOther;
}

// Calls that put work on a stream: cudaLaunchKernelExC, cuLaunchKernelEx, cudaMemcpyAsync,
// hipLaunchKernel, ...
bool IsLaunch(std::string_view name) {
  for (const std::string_view words : {"Launch", "Memcpy", "Memset", "memcpy", "memset"}) {
    if (name.find(words) != name.npos) return true;
  }
  return false;
}

// cudaDeviceSynchronize, cudaStreamSynchronize, cuEventSynchronize, hipDeviceSynchronize, ...
bool IsWait(std::string_view name) { return name.find("Synchronize") != name.npos; }

KinetoKind KindOfCall(std::string_view name) {
  if (IsLaunch(name)) return KinetoKind::kLaunch;
  return IsWait(name) ? KinetoKind::kWait : KinetoKind::kOther;
}

std::string_view TextOf(ondemand::value value) {
  std::string_view text;
  if (value.get_string().get(text) != simdjson::SUCCESS) return {};
  return text;
}

uint64_t CountOf(ondemand::value value) {
  uint64_t count = 0;
  if (value.get_uint64().get(count) != simdjson::SUCCESS) return 0;
  return count;
}

void ReadArgument(std::string_view key, ondemand::value value, KinetoEvent& event) {
  if (key == "device") {
    event.device = static_cast<int32_t>(CountOf(value));
  } else if (key == "correlation") {
    event.correlation = CountOf(value);
  } else if (key == "bytes") {
    event.bytes = CountOf(value);
  } else if (key == "Collective name") {
    event.collective = TextOf(value);
  } else if (key == "In msg nelems") {
    event.in_elements = CountOf(value);
  } else if (key == "dtype") {
    event.dtype = TextOf(value);
  } else if (key == "Process Group Description") {
    event.group = TextOf(value);
  }
}

struct Fields {
  KinetoEvent event;
  std::optional<int64_t> begin_ns;
  std::optional<int64_t> duration_ns;
  bool has_kind = false;
  bool is_complete = true;  // phase "X"
};

std::optional<int64_t> TimeOf(ondemand::value value) {
  std::string_view token = value.raw_json_token();
  while (!token.empty() && (token.back() == ' ' || token.back() == '\n' || token.back() == '\r' ||
                            token.back() == '\t')) {
    token.remove_suffix(1);
  }
  return ParseMicroseconds(token);
}

simdjson::error_code ReadArguments(ondemand::value value, KinetoEvent& event) {
  ondemand::object arguments;
  // Ignores "args" that are null or text.
  if (value.get_object().get(arguments) != simdjson::SUCCESS) return simdjson::SUCCESS;
  for (auto item : arguments) {
    ondemand::field field;
    if (const auto error = std::move(item).get(field)) return error;
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) return error;
    ReadArgument(key, field.value(), event);
  }
  return simdjson::SUCCESS;
}

// Continues while the event may be relevant.
simdjson::error_code ReadFields(ondemand::object object, Fields& fields) {
  for (auto item : object) {
    ondemand::field field;
    if (const auto error = std::move(item).get(field)) return error;
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) return error;
    if (key == "ph") {
      fields.is_complete = TextOf(field.value()) == "X";
    } else if (key == "cat") {
      fields.event.kind = KindOf(TextOf(field.value()));
      fields.has_kind = true;
    } else if (key == "name") {
      fields.event.name = TextOf(field.value());
    } else if (key == "ts") {
      fields.begin_ns = TimeOf(field.value());
    } else if (key == "dur") {
      fields.duration_ns = TimeOf(field.value());
    } else if (key == "args") {
      if (const auto error = ReadArguments(field.value(), fields.event)) return error;
    }
    if (!fields.is_complete || (fields.has_kind && fields.event.kind == KinetoKind::kOther)) break;
  }
  return simdjson::SUCCESS;
}

}  // namespace

struct KinetoEventParser::State {
  ondemand::parser parser;
  std::string padded;  // the event, followed by bytes that are not JSON
};

KinetoEventParser::KinetoEventParser() : state_(std::make_unique<State>()) {}
KinetoEventParser::~KinetoEventParser() = default;

absl::StatusOr<KinetoEvent> KinetoEventParser::Parse(std::string_view json) {
  ondemand::document document;
  // The library may treat the byte after malformed JSON as part of it: a brace that follows in the
  // file would complete a broken event, if already read.
  state_->padded.assign(json).append(simdjson::SIMDJSON_PADDING, '\0');
  const simdjson::padded_string_view padded(state_->padded.data(), json.size(),
                                            state_->padded.size());
  if (state_->parser.iterate(padded).get(document) != simdjson::SUCCESS) {
    return absl::InvalidArgumentError("event that is not JSON");
  }
  ondemand::object object;
  if (document.get_object().get(object) != simdjson::SUCCESS) {
    return absl::InvalidArgumentError("event that is not an object");
  }
  Fields fields;
  if (ReadFields(object, fields) != simdjson::SUCCESS) {
    return absl::InvalidArgumentError("event that is not JSON");
  }
  KinetoEvent& event = fields.event;
  if (!fields.is_complete) event.kind = KinetoKind::kOther;
  if (event.kind == KinetoKind::kLaunch) event.kind = KindOfCall(event.name);
  if (event.kind == KinetoKind::kOther) return event;
  if (!fields.begin_ns.has_value() || !fields.duration_ns.has_value() || *fields.duration_ns < 0) {
    return absl::InvalidArgumentError("event without a time");
  }
  event.time = {*fields.begin_ns, *fields.begin_ns + *fields.duration_ns};
  return event;
}

std::optional<int64_t> ParseMicroseconds(std::string_view number) {
  // Times since 1970 have more digits than a double, so parse the digits directly.
  int64_t whole = 0;
  const char* const end = number.data() + number.size();
  const auto [after, error] = std::from_chars(number.data(), end, whole);
  if (error != std::errc() || std::abs(static_cast<double>(whole)) > kLastMicrosecond)
    return std::nullopt;
  if (after == end) return whole * 1000;
  if (*after == '.') {
    int64_t thousandths = 0;
    int64_t scale = 100;
    const char* at = after + 1;
    for (; at != end && *at >= '0' && *at <= '9'; ++at, scale /= 10)
      thousandths += scale * (*at - '0');
    if (at == end) return whole * 1000 + (number.front() == '-' ? -thousandths : thousandths);
  }
  double value = 0;
  if (std::from_chars(number.data(), end, value).ptr != end) return std::nullopt;
  if (!(std::abs(value) <= kLastMicrosecond)) return std::nullopt;
  return std::llround(value * 1000);
}

uint64_t ElementBytes(std::string_view dtype) {
  constexpr std::pair<std::string_view, uint64_t> kTypes[] = {
      {"Float", 4},        {"BFloat16", 2},       {"Half", 2},          {"Double", 8},
      {"Int", 4},          {"Long", 8},           {"Byte", 1},          {"Char", 1},
      {"Bool", 1},         {"Short", 2},          {"Float8_e4m3fn", 1}, {"Float8_e5m2", 1},
      {"ComplexFloat", 8}, {"ComplexDouble", 16},
  };
  for (const auto& [name, bytes] : kTypes) {
    if (name == dtype) return bytes;
  }
  return 0;
}

}  // namespace lockstep::traces
