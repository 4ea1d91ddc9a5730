// What the series of a training job say, by their names and labels.
//
// Pure functions: any thread, nothing kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalogue/metric_names.h"
#include "model/labels.h"
#include "model/sample.h"
#include "training/devices.h"
#include "training/job.h"
#include "training/links.h"

namespace lockstep::answers {

// What a series tells of each step of a rank, or of the job as a whole.
enum class StepRole : uint8_t {
  kStep,  // its number: the value that the others are joined to, by their times
  kStepSeconds,
  kPhaseSeconds,
  kOwnSeconds,
  kLoss,
  kGradientNorm,
  kMemoryAllocatedBytes,
  kModelFlops,    // floating point operations of this rank in this step
  kTeraflops,     // of this rank, per second
  kTokens,        // of the whole job in this step
  kTotalTokens,   // so far
  kTotalSamples,  // so far
  kWorldSize,
  kGlobalBatch,  // sequences
  kMicroBatch,   // sequences
  kSequenceLength,
  kPlannedSteps,
  kDataParallel,
  kTensorParallel,
  kPipelineParallel,
  kContextParallel,
};

struct StepSeries {
  StepRole role = StepRole::kStep;
  std::string phase = {};  // of kPhaseSeconds: as the trainer calls it
  catalogue::NameRole name = {};
  double factor = 1;  // from the catalogue's unit to that of the role
};

// Nothing for a series that says nothing of steps, or says it of several ranks at once.
std::optional<StepSeries> StepSeriesOf(const LabelSet& labels);

// What a series tells of a device.
struct DeviceSeries {
  training::DeviceCounter counter = training::DeviceCounter::kPowerW;
  catalogue::NameRole name = {};
  double factor = 1;  // from the catalogue's unit to that of the counter
};

// Nothing for a series that is of no device, or of a counter that the answers do not ask for.
std::optional<DeviceSeries> DeviceSeriesOf(const LabelSet& labels);

// What a series tells of a network interface of a host.
struct LinkSeries {
  training::LinkKind kind = training::LinkKind::kInfiniBand;
  training::LinkCounter counter = training::LinkCounter::kSentBytes;
  catalogue::NameRole name = {};
};

std::optional<LinkSeries> LinkSeriesOf(const LabelSet& labels);

// Samples as they are stored, to those of the role or counter.
void ToUnit(const catalogue::NameRole& name, double factor, SampleColumns& samples);

// Regular expressions for the names of series that number steps, of device counters that every exporter gives (they
// show where ranks run, and that a job is still there), of operations per second and per step, of those that say
// something of the job as a whole, and of counters of network interfaces.
std::string_view StepNumberNames();
std::string_view DevicePresenceNames();
std::string_view TeraflopsNames();
std::string_view ModelFlopsNames();
std::string_view FactNames();
std::string_view LinkNames();

// Where a series comes from. Empty or absent: its labels do not say.
struct SeriesOrigin {
  std::optional<int64_t> rank;
  std::optional<int64_t> attempt;
  std::string_view host;
  std::string_view gpu;
  std::string_view gpu_uuid;
  std::string_view gpu_model;
};

// Views in it live as long as `labels`.
SeriesOrigin OriginOf(const LabelSet& labels);

// Fills in what is not known yet. Precondition: the origin has a rank.
void LearnPlace(const SeriesOrigin& origin, training::RankPlace& place, std::string& gpu_model);

// Whether a series is of the GPU that a rank runs on: by its UUID, or by its index on its host.
bool IsOn(const SeriesOrigin& origin, const training::RankPlace& place);
// Learns where a rank runs from `gpus`, the labels of device series of its job that name no rank:
// from those of its own GPU, or, where nothing says which that is, from the only one that can be.
void LearnSharedGpu(const std::vector<LabelSet>& gpus, training::RankPlace& place,
                    std::string& gpu_model);
// Remembers a device's labels, once for each GPU.
void AddSharedGpu(const LabelSet& labels, std::vector<LabelSet>& gpus);

}  // namespace lockstep::answers
