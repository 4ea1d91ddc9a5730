#include "answers/load/series_roles.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

namespace lockstep::answers {
namespace {

using catalogue::NameRole;
using catalogue::Role;
using training::LinkKind;

// Roles of the job as a whole, rather than of single steps.
constexpr std::array kFactRoles = {
    Role::kTrainTokensTotal,         Role::kTrainSamplesTotal,
    Role::kTrainWorldSize,           Role::kTrainGlobalBatchSize,
    Role::kTrainMicroBatchSize,      Role::kTrainSequenceLength,
    Role::kTrainPlannedSteps,        Role::kTrainDataParallelSize,
    Role::kTrainTensorParallelSize,  Role::kTrainPipelineParallelSize,
    Role::kTrainContextParallelSize,
};

// node_exporter's counters of Ethernet interfaces are roles of the host; each says what a role of
// the interface says.
struct EthernetRow {
  Role stored;
  Role role;
};

constexpr std::array kEthernetRows = {
    EthernetRow{Role::kNodeNetworkTransmitBytesTotal, Role::kNicTransmitBytesTotal},
    EthernetRow{Role::kNodeNetworkReceiveBytesTotal, Role::kNicReceiveBytesTotal},
    EthernetRow{Role::kNodeNetworkReceiveDropsTotal, Role::kNicReceiveDropsTotal},
    EthernetRow{Role::kNodeNetworkTransmitDropsTotal, Role::kNicTransmitDiscardsTotal},
};

void AppendNames(Role role, std::string& joined) {
  for (const std::string_view name : catalogue::NamesOf(role)) {
    if (!joined.empty()) joined += '|';
    joined += name;
  }
}

std::string NamesOfRoles(std::span<const Role> roles) {
  std::string joined;
  for (const Role role : roles) AppendNames(role, joined);
  return joined;
}

std::string AllLinkNames() {
  std::string joined = NamesOfRoles(training::kLinkRoles);
  for (const EthernetRow& row : kEthernetRows) AppendNames(row.stored, joined);
  return joined;
}

std::optional<int64_t> NumberOf(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

void Learn(std::string_view said, std::string& known) {
  if (known.empty()) known = said;
}

}  // namespace

bool IsStepRole(Role role) {
  switch (role) {
    case Role::kTrainStep:
    case Role::kTrainStepTimeSeconds:
    case Role::kTrainPhaseSeconds:
    case Role::kTrainOwnSeconds:
    case Role::kTrainLoss:
    case Role::kTrainGradNorm:
    case Role::kGpuTorchMemoryAllocatedBytes:
    case Role::kTrainModelFlops:
    case Role::kTrainFlopsPerSecondPerGpu:
    case Role::kTrainTokens:
      return true;
    default:
      return IsFactRole(role);
  }
}

bool IsFactRole(Role role) { return std::ranges::find(kFactRoles, role) != kFactRoles.end(); }

bool IsDeviceRole(Role role) { return decltype(training::GpuCounters::series)::Has(role); }

std::optional<NameRole> RoleOf(const LabelSet& labels) {
  return catalogue::RoleOf(labels.metric_name(), labels);
}

std::optional<NameRole> StepRoleOf(const LabelSet& labels) {
  const std::optional<NameRole> name = RoleOf(labels);
  return name.has_value() && IsStepRole(name->role) ? name : std::nullopt;
}

std::optional<NameRole> DeviceRoleOf(const LabelSet& labels) {
  const std::optional<NameRole> name = RoleOf(labels);
  return name.has_value() && IsDeviceRole(name->role) ? name : std::nullopt;
}

std::optional<LinkSeries> LinkSeriesOf(const LabelSet& labels) {
  const std::optional<NameRole> name = RoleOf(labels);
  if (!name.has_value()) return std::nullopt;
  if (decltype(training::NetworkLink::series)::Has(name->role)) {
    return LinkSeries{LinkKind::kInfiniBand, name->role, *name};
  }
  const auto* const row = std::ranges::find(kEthernetRows, name->role, &EthernetRow::stored);
  if (row == kEthernetRows.end()) return std::nullopt;
  return LinkSeries{LinkKind::kEthernet, row->role, *name};
}

void ToRole(const NameRole& name, SampleColumns& samples) {
  catalogue::ToRole(name, samples.timestamps_ms, samples.values);
}

std::string_view StepNumberNames() {
  static const auto* names = new std::string(NamesOfRoles({{Role::kTrainStep}}));
  return *names;
}

std::string_view DevicePresenceNames() {
  static const auto* names = new std::string(NamesOfRoles(
      {{Role::kGpuUtilizationRatio, Role::kGpuPowerWatts, Role::kGpuGrEngineActiveRatio}}));
  return *names;
}

std::string_view FlopsRateNames() {
  static const auto* names = new std::string(NamesOfRoles({{Role::kTrainFlopsPerSecondPerGpu}}));
  return *names;
}

std::string_view ModelFlopsNames() {
  static const auto* names = new std::string(NamesOfRoles({{Role::kTrainModelFlops}}));
  return *names;
}

std::string_view FactNames() {
  static const auto* names = new std::string(NamesOfRoles(kFactRoles));
  return *names;
}

std::string_view LinkNames() {
  static const auto* names = new std::string(AllLinkNames());
  return *names;
}

SeriesOrigin OriginOf(const LabelSet& labels) {
  SeriesOrigin origin;
  for (const auto& [name, value] : labels) {
    if (name == "rank") origin.rank = NumberOf(value);
    if (name == "attempt") origin.attempt = NumberOf(value);
    if (name == "Hostname" || name == "hostname" || name == "node") origin.host = value;
    if (name == "gpu") origin.gpu = value;
    if (name == "UUID" || name == "uuid") origin.gpu_uuid = value;
    if (name == "modelName") origin.gpu_model = value;
  }
  return origin;
}

void LearnPlace(const SeriesOrigin& origin, training::RankPlace& place, std::string& gpu_model) {
  place.rank = *origin.rank;
  Learn(origin.host, place.host);
  Learn(origin.gpu, place.gpu);
  Learn(origin.gpu_uuid, place.gpu_uuid);
  Learn(origin.gpu_model, gpu_model);
}

bool IsOn(const SeriesOrigin& origin, const training::RankPlace& place) {
  if (!origin.gpu_uuid.empty() && !place.gpu_uuid.empty()) {
    return origin.gpu_uuid == place.gpu_uuid &&
           (origin.host == place.host || origin.host.empty() || place.host.empty());
  }
  return !origin.host.empty() && !origin.gpu.empty() && origin.host == place.host &&
         origin.gpu == place.gpu;
}

void LearnSharedGpu(const std::vector<LabelSet>& gpus, training::RankPlace& place,
                    std::string& gpu_model) {
  const bool is_placed = !place.gpu.empty() || !place.gpu_uuid.empty();
  std::vector<SeriesOrigin> fitting;
  for (const LabelSet& labels : gpus) {
    const SeriesOrigin origin = OriginOf(labels);
    const bool may_be_on = !is_placed && (place.host.empty() || origin.host == place.host);
    if (may_be_on || IsOn(origin, place)) fitting.push_back(origin);
  }
  if (fitting.size() != 1) return;
  fitting.front().rank = place.rank;
  LearnPlace(fitting.front(), place, gpu_model);
}

void AddSharedGpu(const LabelSet& labels, std::vector<LabelSet>& gpus) {
  const SeriesOrigin origin = OriginOf(labels);
  const bool is_known = std::ranges::any_of(gpus, [&origin](const LabelSet& other) {
    const SeriesOrigin known = OriginOf(other);
    return known.host == origin.host && known.gpu == origin.gpu &&
           known.gpu_uuid == origin.gpu_uuid;
  });
  if (!is_known) gpus.push_back(labels);
}

}  // namespace lockstep::answers
