// Reads a PyTorch profiler trace of one process (Chrome trace JSON by Kineto).
//
// The file is read in pieces of any size; host operators, flow arrows and call stacks, most of its
// bytes, are discarded at once. Malformed events are counted and skipped.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/string_map.h"
#include "import/traces/kineto/kineto_event.h"
#include "import/traces/kineto/kineto_trace.h"
#include "import/traces/kineto/trace_pieces.h"
#include "import/traces/records/trace_problems.h"

namespace lockstep::traces {

// For one thread and one file.
class KinetoReader {
 public:
  // Adds the next bytes of the file, decompressed.
  void Feed(std::string_view bytes);
  // Call at the end of the file.
  void Finish() { pieces_.Finish(); }

  const KinetoTrace& trace() const { return trace_; }
  const TraceProblems& problems() const { return problems_; }
  uint64_t event_count() const { return event_count_; }

 private:
  void TakeEvent(const TracePiece& piece);
  void TakeWait(const KinetoEvent& event, uint64_t offset);
  void TakeDeviceEvent(const KinetoEvent& event, uint64_t offset);
  void TakeCollective(const KinetoEvent& event, uint16_t device);
  void TakeAnnotation(const KinetoEvent& event, uint64_t offset);
  void TakeLaunch(const KinetoEvent& event, uint64_t offset);
  // Whether `vector` is below `limit`; otherwise counts a problem.
  template <typename T>
  bool HasRoom(const std::vector<T>& vector, size_t limit, uint64_t offset);
  std::optional<uint16_t> DeviceIndex(int32_t device, uint64_t offset);
  struct KernelName {
    KernelClass kernel_class = KernelClass::kOther;
    uint32_t index = kNoKernel;  // into KinetoTrace::kernel_names
  };
  KernelName KernelOf(const KinetoEvent& event);
  uint32_t IndexOfKernelName(std::string_view name);
  uint32_t CollectiveKindOf(const KinetoEvent& event);

  TraceProblems problems_;
  TracePieces pieces_{problems_};
  KinetoEventParser parser_;
  KinetoTrace trace_;
  uint64_t event_count_ = 0;
  StringMap<KernelName> kernels_;         // by name as written
  StringMap<uint32_t> kernel_indices_;    // by name as kept
  StringMap<uint32_t> collective_kinds_;  // by name and group
};

}  // namespace lockstep::traces
