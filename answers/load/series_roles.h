// The roles and origins of a training job's series, from their names and labels.
//
// Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalogue/metric_names.h"
#include "model/labels.h"
#include "model/sample.h"
#include "training/devices/devices.h"
#include "training/devices/links.h"
#include "training/job/job.h"

namespace lockstep::answers {

// Roles that describe each step of a rank, or the job as a whole.
bool IsStepRole(catalogue::Role role);
// Roles that describe the job as a whole.
bool IsFactRole(catalogue::Role role);
bool IsDeviceRole(catalogue::Role role);

// The role of a series from its name and labels; empty if the catalogue has none. The result is
// valid as long as `labels`.
std::optional<catalogue::NameRole> RoleOf(const LabelSet& labels);
// The same, but also empty if the role is not one of that kind.
std::optional<catalogue::NameRole> StepRoleOf(const LabelSet& labels);
std::optional<catalogue::NameRole> DeviceRoleOf(const LabelSet& labels);

// What a series says about a network interface of a host.
struct LinkSeries {
  training::LinkKind kind = training::LinkKind::kInfiniBand;
  catalogue::Role role = catalogue::Role::kNicTransmitBytesTotal;  // one of training::kLinkRoles
  catalogue::NameRole name = {};
};

std::optional<LinkSeries> LinkSeriesOf(const LabelSet& labels);

// Converts stored samples to the unit of the role.
void ToRole(const catalogue::NameRole& name, SampleColumns& samples);

// Regular expressions for the names of series with step numbers, of device counters that every
// exporter provides (they show where ranks run and that a job still exists), of operations per
// second and per step, of facts about the job as a whole, and of network interface counters.
std::string_view StepNumberNames();
std::string_view DevicePresenceNames();
std::string_view FlopsRateNames();
std::string_view ModelFlopsNames();
std::string_view FactNames();
std::string_view LinkNames();

// The origin of a series according to its labels. Empty or absent if there is no such label.
struct SeriesOrigin {
  std::optional<int64_t> rank;
  std::optional<int64_t> attempt;
  std::string_view host;
  std::string_view gpu;
  std::string_view gpu_uuid;
  std::string_view gpu_model;
};

// The views in the result are valid as long as `labels`.
SeriesOrigin OriginOf(const LabelSet& labels);

// Fills in fields that are not yet known. Precondition: the origin has a rank.
void LearnPlace(const SeriesOrigin& origin, training::RankPlace& place, std::string& gpu_model);

// Whether a series belongs to the GPU that a rank runs on, by UUID or by host and index.
bool IsOn(const SeriesOrigin& origin, const training::RankPlace& place);
// Learns where a rank runs from `gpus`, the labels of its job's device series that name no rank:
// from those of its own GPU or, if that is unknown, from the only candidate.
void LearnSharedGpu(const std::vector<LabelSet>& gpus, training::RankPlace& place,
                    std::string& gpu_model);
// Stores a device's labels, once per GPU.
void AddSharedGpu(const LabelSet& labels, std::vector<LabelSet>& gpus);

}  // namespace lockstep::answers
