#include "import/traces/kineto/kineto_reader.h"

#include <algorithm>
#include <string>

#include "import/traces/kinds/training_phase.h"
#include "import/traces/records/trace_limits.h"

namespace lockstep::traces {
namespace {

constexpr std::string_view kTooMany = "more events than a trace may have";

// Truncates the name to a reasonable label length, at a character boundary.
std::string_view KeptName(std::string_view name) {
  if (name.size() <= kMaxKernelNameBytes) return name;
  size_t size = kMaxKernelNameBytes;
  while (size > 0 && (static_cast<unsigned char>(name[size]) & 0xc0) == 0x80) --size;
  return name.substr(0, size);
}

}  // namespace

void KinetoReader::Feed(std::string_view bytes) {
  pieces_.Append(bytes);
  while (const auto piece = pieces_.Next()) {
    if (piece->member.empty()) {
      TakeEvent(*piece);
    } else if (!ReadHeaderMember(piece->member, piece->json, trace_.header)) {
      problems_.Count("unreadable member of the document", piece->offset);
    }
  }
}

void KinetoReader::TakeEvent(const TracePiece& piece) {
  ++event_count_;
  const auto event = parser_.Parse(piece.json);
  if (!event.ok()) return problems_.Count("unreadable event", piece.offset);
  switch (event->kind) {
    case KinetoKind::kKernel:
    case KinetoKind::kMemcpy:
    case KinetoKind::kMemset:
      return TakeDeviceEvent(*event, piece.offset);
    case KinetoKind::kHostAnnotation:
    case KinetoKind::kDeviceAnnotation:
      return TakeAnnotation(*event, piece.offset);
    case KinetoKind::kLaunch:
      return TakeLaunch(*event, piece.offset);
    case KinetoKind::kWait:
      return TakeWait(*event, piece.offset);
    case KinetoKind::kOther:
      return;
  }
}

template <typename T>
bool KinetoReader::HasRoom(const std::vector<T>& vector, size_t limit, uint64_t offset) {
  if (vector.size() < limit) return true;
  problems_.Count(kTooMany, offset);
  return false;
}

std::optional<uint16_t> KinetoReader::DeviceIndex(int32_t device, uint64_t offset) {
  auto& devices = trace_.devices;
  const auto found = std::find(devices.begin(), devices.end(), device);
  const auto index = static_cast<uint16_t>(found - devices.begin());
  if (found != devices.end()) return index;
  if (!HasRoom(devices, kMaxTraceDevices, offset)) return std::nullopt;
  devices.push_back(device);
  return index;
}

uint32_t KinetoReader::IndexOfKernelName(std::string_view name) {
  auto& names = trace_.kernel_names;
  const auto [at, is_new] =
      kernel_indices_.try_emplace(std::string(KeptName(name)), static_cast<uint32_t>(names.size()));
  if (is_new) names.push_back(at->first);
  return at->second;
}

KinetoReader::KernelName KinetoReader::KernelOf(const KinetoEvent& event) {
  if (event.kind == KinetoKind::kMemcpy) return {KernelClass::kMemcpy};
  if (event.kind == KinetoKind::kMemset) return {KernelClass::kMemset};
  const auto found = kernels_.find(event.name);
  if (found != kernels_.end()) return found->second;
  KernelName kernel{ClassOfKernel(event.name)};
  if (kernels_.size() < kMaxKernelNames) {
    kernel.index = IndexOfKernelName(event.name);
    kernels_.emplace(std::string(event.name), kernel);
  }
  return kernel;
}

void KinetoReader::TakeDeviceEvent(const KinetoEvent& event, uint64_t offset) {
  const auto device = DeviceIndex(event.device, offset);
  if (!device.has_value() || !HasRoom(trace_.device_events, kMaxDeviceEvents, offset)) return;
  const KernelName kernel = KernelOf(event);
  trace_.device_events.push_back(
      {event.time, event.correlation, kernel.index, *device, kernel.kernel_class});
  if (kernel.kernel_class == KernelClass::kCommunication) TakeCollective(event, *device);
  if (event.kind == KinetoKind::kKernel) return;
  trace_.copy_calls.push_back({event.time, event.correlation, static_cast<double>(event.bytes),
                               CopyKindOf(event.name), *device});
}

uint32_t KinetoReader::CollectiveKindOf(const KinetoEvent& event) {
  const std::string_view name = CollectiveOf(event.collective, event.name);
  std::string key(name);
  key += '\n';
  key += event.group;
  const auto found = collective_kinds_.find(key);
  if (found != collective_kinds_.end()) return found->second;
  auto& kinds = trace_.collective_kinds;
  // The last one absorbs the excess.
  const bool is_last = kinds.size() >= kMaxCollectives;
  if (kinds.size() > kMaxCollectives) return kMaxCollectives;
  kinds.push_back(is_last ? CollectiveKind{"other", ""}
                          : CollectiveKind{name, std::string(event.group)});
  const auto index = static_cast<uint32_t>(kinds.size() - 1);
  if (!is_last) collective_kinds_.emplace(std::move(key), index);
  return index;
}

void KinetoReader::TakeCollective(const KinetoEvent& event, uint16_t device) {
  const double bytes =
      static_cast<double>(event.in_elements) * static_cast<double>(ElementBytes(event.dtype));
  trace_.collective_calls.push_back({event.time, CollectiveKindOf(event), device, bytes});
}

void KinetoReader::TakeAnnotation(const KinetoEvent& event, uint64_t offset) {
  const bool is_on_device = event.kind == KinetoKind::kDeviceAnnotation;
  const auto step = StepOfRange(event.name);
  const std::string_view phase = step.has_value() ? "" : PhaseOfRange(event.name);
  if (!step.has_value() && phase.empty()) return;
  std::optional<uint16_t> device = 0;
  if (is_on_device) device = DeviceIndex(event.device, offset);
  if (!device.has_value()) return;
  auto& steps = is_on_device ? trace_.device_steps : trace_.host_steps;
  auto& phases = is_on_device ? trace_.device_phases : trace_.host_phases;
  if (step.has_value()) {
    if (HasRoom(steps, kMaxProfiledSteps, offset)) steps.push_back({*step, event.time, *device});
  } else if (HasRoom(phases, kMaxAnnotations, offset)) {
    phases.push_back({phase, event.time, *device});
  }
}

void KinetoReader::TakeLaunch(const KinetoEvent& event, uint64_t offset) {
  if (!HasRoom(trace_.launches, kMaxLaunches, offset)) return;
  trace_.launches.push_back({event.time, event.correlation});
  if (IsBlockingCopy(event.name)) trace_.blocking_copies.push_back(event.correlation);
}

void KinetoReader::TakeWait(const KinetoEvent& event, uint64_t offset) {
  if (HasRoom(trace_.host_waits, kMaxLaunches, offset)) trace_.host_waits.push_back(event.time);
}

}  // namespace lockstep::traces
