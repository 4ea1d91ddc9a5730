// Parses one event of a PyTorch profiler trace (Kineto, libkineto's Chrome format). Pure functions.
//
//   {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(...)",
//    "pid": 0, "tid": 7, "ts": 4385022203631.595, "dur": 12192.38,
//    "args": {"device": 0, "stream": 7, "correlation": 14280, ...}}
//
// Times are microseconds. Source: pytorch/kineto, libkineto/src/output_json.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "import/traces/kineto/interval_union.h"

namespace lockstep::traces {

enum class KinetoKind : uint8_t {
  kKernel,
  kMemcpy,
  kMemset,
  kHostAnnotation,    // user_annotation: the program's phases, in host time
  kDeviceAnnotation,  // gpu_user_annotation: the same phases on the GPU
  kLaunch,            // a runtime or driver call that puts work on a stream
  kWait,              // a call in which the host waits for the device
  kOther,             // operators, flow arrows, thread names, ...: ignored
};

// Texts are valid until the parser's next call.
struct KinetoEvent {
  KinetoKind kind = KinetoKind::kOther;
  std::string_view name;
  Interval time;
  int32_t device = 0;
  uint64_t correlation = 0;  // links a launch and what it launched; 0: none
  uint64_t bytes = 0;        // of a copy or a fill
  // For collectives:
  std::string_view collective;  // "allreduce"
  std::string_view group;       // "default_pg"
  uint64_t in_elements = 0;
  std::string_view dtype;  // "BFloat16"
};

// Reuses its buffers across events. For one thread.
class KinetoEventParser {
 public:
  KinetoEventParser();
  ~KinetoEventParser();

  // `json` must be one event.
  absl::StatusOr<KinetoEvent> Parse(std::string_view json);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Parses microseconds with up to three decimals, to the nanosecond; nothing if invalid or beyond
// the year 2112.
std::optional<int64_t> ParseMicroseconds(std::string_view number);

// The bytes of an element of PyTorch's `dtype`, 0 if unknown.
uint64_t ElementBytes(std::string_view dtype);

}  // namespace lockstep::traces
