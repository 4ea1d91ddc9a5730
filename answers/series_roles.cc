#include "answers/series_roles.h"

#include <array>
#include <charconv>
#include <span>

namespace lockstep::answers {
namespace {

using catalogue::NameRole;
using catalogue::Role;
using training::DeviceCounter;
using training::LinkCounter;
using training::LinkKind;

struct StepRow {
  Role role;
  StepRole means;
  double factor = 1;
};

constexpr std::array kStepRows = {
    StepRow{Role::kTrainStep, StepRole::kStep},
    StepRow{Role::kTrainStepTimeSeconds, StepRole::kStepSeconds},
    StepRow{Role::kTrainPhaseSeconds, StepRole::kPhaseSeconds},
    StepRow{Role::kTrainLoss, StepRole::kLoss},
    StepRow{Role::kTrainGradNorm, StepRole::kGradientNorm},
    StepRow{Role::kGpuTorchMemoryAllocatedBytes, StepRole::kMemoryAllocatedBytes},
    StepRow{Role::kTrainModelFlops, StepRole::kModelFlops},
    StepRow{Role::kTrainFlopsPerSecondPerGpu, StepRole::kTeraflops, 1e-12},
    StepRow{Role::kTrainTokens, StepRole::kTokens},
    StepRow{Role::kTrainTokensTotal, StepRole::kTotalTokens},
    StepRow{Role::kTrainSamplesTotal, StepRole::kTotalSamples},
    StepRow{Role::kTrainWorldSize, StepRole::kWorldSize},
    StepRow{Role::kTrainGlobalBatchSize, StepRole::kGlobalBatch},
    StepRow{Role::kTrainMicroBatchSize, StepRole::kMicroBatch},
    StepRow{Role::kTrainSequenceLength, StepRole::kSequenceLength},
};

// What the catalogue has no role for.
struct NameRow {
  std::string_view name;
  StepRole means;
};

constexpr std::array kNames = {
    NameRow{"train_own_seconds", StepRole::kOwnSeconds},
    NameRow{"train_planned_steps", StepRole::kPlannedSteps},
    NameRow{"train_data_parallel_size", StepRole::kDataParallel},
    NameRow{"train_tensor_parallel_size", StepRole::kTensorParallel},
    NameRow{"train_pipeline_parallel_size", StepRole::kPipelineParallel},
    NameRow{"train_context_parallel_size", StepRole::kContextParallel},
    NameRow{"data_parallel_size", StepRole::kDataParallel},
    NameRow{"tensor_parallel_size", StepRole::kTensorParallel},
    NameRow{"pipeline_parallel_size", StepRole::kPipelineParallel},
    NameRow{"context_parallel_size", StepRole::kContextParallel},
};

struct DeviceRow {
  Role role;
  DeviceCounter counter;
  double factor = 1;
};

constexpr double kPerKilo = 1e3;
constexpr double kPerMega = 1e-6;
constexpr double kPerMib = 1.0 / (1 << 20);
constexpr double kPerNano = 1e9;

constexpr std::array kDeviceRows = {
    DeviceRow{Role::kGpuGrEngineActiveRatio, DeviceCounter::kGraphicsEngineActiveRatio},
    DeviceRow{Role::kGpuSmActiveRatio, DeviceCounter::kSmActiveRatio},
    DeviceRow{Role::kGpuSmOccupancyRatio, DeviceCounter::kSmOccupancyRatio},
    DeviceRow{Role::kGpuTensorActiveRatio, DeviceCounter::kTensorActiveRatio},
    DeviceRow{Role::kGpuFp64ActiveRatio, DeviceCounter::kFp64ActiveRatio},
    DeviceRow{Role::kGpuFp32ActiveRatio, DeviceCounter::kFp32ActiveRatio},
    DeviceRow{Role::kGpuFp16ActiveRatio, DeviceCounter::kFp16ActiveRatio},
    DeviceRow{Role::kGpuDramActiveRatio, DeviceCounter::kDramActiveRatio},
    DeviceRow{Role::kGpuPcieRxBytesPerSecond, DeviceCounter::kPcieReceivedBytesPerS},
    DeviceRow{Role::kGpuPcieTxBytesPerSecond, DeviceCounter::kPcieSentBytesPerS},
    DeviceRow{Role::kGpuNvlinkRxBytesPerSecond, DeviceCounter::kNvlinkReceivedBytesPerS},
    DeviceRow{Role::kGpuNvlinkTxBytesPerSecond, DeviceCounter::kNvlinkSentBytesPerS},
    DeviceRow{Role::kGpuUtilizationRatio, DeviceCounter::kGpuUtilizationPercent, 100},
    DeviceRow{Role::kGpuPowerWatts, DeviceCounter::kPowerW},
    DeviceRow{Role::kGpuPowerLimitWatts, DeviceCounter::kPowerLimitW},
    DeviceRow{Role::kGpuEnergyJoulesTotal, DeviceCounter::kEnergyMj, kPerKilo},
    DeviceRow{Role::kGpuSmClockHertz, DeviceCounter::kSmClockMhz, kPerMega},
    DeviceRow{Role::kGpuTemperatureCelsius, DeviceCounter::kGpuTemperatureC},
    DeviceRow{Role::kGpuMemoryTemperatureCelsius, DeviceCounter::kMemoryTemperatureC},
    DeviceRow{Role::kGpuThermalMarginCelsius, DeviceCounter::kThermalMarginC},
    DeviceRow{Role::kGpuMemoryUsedBytes, DeviceCounter::kMemoryUsedMib, kPerMib},
    DeviceRow{Role::kGpuMemoryFreeBytes, DeviceCounter::kMemoryFreeMib, kPerMib},
    DeviceRow{Role::kGpuThrottleReasons, DeviceCounter::kThrottleReasons},
    DeviceRow{Role::kGpuPowerViolationSecondsTotal, DeviceCounter::kPowerViolationNs, kPerNano},
    DeviceRow{Role::kGpuThermalViolationSecondsTotal, DeviceCounter::kThermalViolationNs, kPerNano},
    DeviceRow{Role::kGpuEccCorrectedTotal, DeviceCounter::kEccSingleBitErrors},
    DeviceRow{Role::kGpuEccUncorrectedTotal, DeviceCounter::kEccDoubleBitErrors},
    DeviceRow{Role::kGpuRemappedRowsCorrectableTotal, DeviceCounter::kCorrectableRemaps},
    DeviceRow{Role::kGpuRemappedRowsUncorrectableTotal, DeviceCounter::kUncorrectableRemaps},
    DeviceRow{Role::kGpuRowRemapFailure, DeviceCounter::kRowRemapFailure},
    DeviceRow{Role::kGpuXid, DeviceCounter::kXid},
    DeviceRow{Role::kGpuPcieReplaysTotal, DeviceCounter::kPcieReplays},
    DeviceRow{Role::kGpuNvlinkCrcFlitErrorsTotal, DeviceCounter::kNvlinkErrors},
    DeviceRow{Role::kGpuNvlinkReplayErrorsTotal, DeviceCounter::kNvlinkReplays},
    DeviceRow{Role::kGpuNvlinkRecoveryErrorsTotal, DeviceCounter::kNvlinkRecoveries},
};

struct LinkRow {
  Role role;
  LinkCounter counter;
  LinkKind kind = LinkKind::kInfiniBand;
};

constexpr std::array kLinkRows = {
    LinkRow{Role::kNicTransmitBytesTotal, LinkCounter::kSentBytes},
    LinkRow{Role::kNicReceiveBytesTotal, LinkCounter::kReceivedBytes},
    LinkRow{Role::kNicRateBytesPerSecond, LinkCounter::kRateBytesPerS},
    LinkRow{Role::kNicSymbolErrorsTotal, LinkCounter::kSymbolErrors},
    LinkRow{Role::kNicLinkDownedTotal, LinkCounter::kLinkDowned},
    LinkRow{Role::kNicLinkRecoveriesTotal, LinkCounter::kLinkRecoveries},
    LinkRow{Role::kNicOutOfSequenceTotal, LinkCounter::kOutOfSequence},
    LinkRow{Role::kNicTimeoutsTotal, LinkCounter::kTimeouts},
    LinkRow{Role::kNicRetransmitsTotal, LinkCounter::kRetransmits},
    LinkRow{Role::kNicReceiveDropsTotal, LinkCounter::kReceiveDrops},
    LinkRow{Role::kNicTransmitDiscardsTotal, LinkCounter::kSendDiscards},
    LinkRow{Role::kNodeNetworkTransmitBytesTotal, LinkCounter::kSentBytes, LinkKind::kEthernet},
    LinkRow{Role::kNodeNetworkReceiveBytesTotal, LinkCounter::kReceivedBytes, LinkKind::kEthernet},
    LinkRow{Role::kNodeNetworkReceiveDropsTotal, LinkCounter::kReceiveDrops, LinkKind::kEthernet},
    LinkRow{Role::kNodeNetworkTransmitDropsTotal, LinkCounter::kSendDiscards, LinkKind::kEthernet},
};

void AppendNames(std::span<const std::string_view> names, std::string& joined) {
  for (const std::string_view name : names) {
    if (!joined.empty()) joined += '|';
    joined += name;
  }
}

std::string NamesOfRoles(std::initializer_list<Role> roles) {
  std::string joined;
  for (const Role role : roles) AppendNames(catalogue::NamesOf(role), joined);
  return joined;
}

// Whether the role says something of the job as a whole, not of single steps.
bool IsFact(StepRole role) { return role >= StepRole::kTotalTokens; }

std::string AllFactNames() {
  std::string joined;
  for (const StepRow& row : kStepRows) {
    if (IsFact(row.means)) AppendNames(catalogue::NamesOf(row.role), joined);
  }
  for (const NameRow& row : kNames) {
    if (IsFact(row.means)) AppendNames({&row.name, 1}, joined);
  }
  return joined;
}

std::string AllLinkNames() {
  std::string joined;
  for (const LinkRow& row : kLinkRows) AppendNames(catalogue::NamesOf(row.role), joined);
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

std::optional<StepSeries> StepSeriesOf(const LabelSet& labels) {
  const std::string_view name = labels.metric_name();
  for (const NameRow& row : kNames) {
    if (row.name == name) return StepSeries{.role = row.means};
  }
  const std::optional<NameRole> known = catalogue::RoleOf(name, labels);
  if (!known.has_value()) return std::nullopt;
  for (const StepRow& row : kStepRows) {
    if (row.role != known->role) continue;
    return StepSeries{row.means, std::string(known->part), *known, row.factor};
  }
  return std::nullopt;
}

std::optional<DeviceSeries> DeviceSeriesOf(const LabelSet& labels) {
  const std::optional<NameRole> known = catalogue::RoleOf(labels.metric_name(), labels);
  if (!known.has_value()) return std::nullopt;
  for (const DeviceRow& row : kDeviceRows) {
    if (row.role == known->role) return DeviceSeries{row.counter, *known, row.factor};
  }
  return std::nullopt;
}

std::optional<LinkSeries> LinkSeriesOf(const LabelSet& labels) {
  const std::optional<NameRole> known = catalogue::RoleOf(labels.metric_name(), labels);
  if (!known.has_value()) return std::nullopt;
  for (const LinkRow& row : kLinkRows) {
    if (row.role == known->role) return LinkSeries{row.kind, row.counter, *known};
  }
  return std::nullopt;
}

void ToUnit(const NameRole& name, double factor, SampleColumns& samples) {
  catalogue::ToRole(name, samples.timestamps_ms, samples.values);
  if (factor == 1) return;
  for (double& value : samples.values) value *= factor;
}

std::string_view StepNumberNames() {
  static const auto* names = new std::string(NamesOfRoles({Role::kTrainStep}));
  return *names;
}

std::string_view DevicePresenceNames() {
  static const auto* names = new std::string(NamesOfRoles(
      {Role::kGpuUtilizationRatio, Role::kGpuPowerWatts, Role::kGpuGrEngineActiveRatio}));
  return *names;
}

std::string_view TeraflopsNames() {
  static const auto* names = new std::string(NamesOfRoles({Role::kTrainFlopsPerSecondPerGpu}));
  return *names;
}

std::string_view ModelFlopsNames() {
  static const auto* names = new std::string(NamesOfRoles({Role::kTrainModelFlops}));
  return *names;
}

std::string_view FactNames() {
  static const auto* names = new std::string(AllFactNames());
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
