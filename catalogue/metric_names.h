// Finds the role of a stored series by its name and labels, and converts its samples to the role's
// unit.
//
// The names come from DCGM before and after 4.6 and its exporters, the exporters of AMD, Triton,
// dynolog and Slurm, OpenTelemetry's hardware metrics, trainers, node_exporter, and the names under
// which logs are stored. An unknown name has no role. Having a role or not does not change the
// stored series.
//
// Plain data and pure functions, safe from any thread. Texts live forever.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "catalogue/roles.h"
#include "model/labels.h"

namespace lockstep::catalogue {

// How a source stores the metric.
enum class Stored : uint8_t {
  kGauge,
  kCounter,         // a gauge's role is its rate, a total's role is itself
  kEither,          // bytes per second, or a counter of bytes: the samples decide
  kPercentOrRatio,  // a ratio like the role, unless a sample is above one: then percent
};

struct NameRole {
  Role role{};
  double factor = 1;  // role's units per stored unit
  Stored stored = Stored::kGauge;
  // The phase, for kTrainPhaseSeconds ("data", "forward"...); the kind of event, for
  // kGpuClockEvents; the code, for kGpuXidEvents. A view of the labels or of the catalogue. Empty:
  // the role has no parts.
  std::string_view part = {};
  // The label that the series must have for this role; "": none.
  std::string_view label = {};
  std::string_view label_value = {};
};

// Nothing for an unknown name, for one whose labels say that it is about something else (the
// temperature of a fan), and for a value that is not of one rank and time (`agg`, `axis`). `labels`
// must outlive the part; the metric name may be among them.
std::optional<NameRole> RoleOf(std::string_view metric_name, const LabelSet& labels);

// The roles that series with this name may have, depending on their labels; parts that come from
// labels are empty.
std::vector<NameRole> RolesOfName(std::string_view metric_name);

// All names that may have the role, the most specific first: if a device has series with two of
// them, the first one counts. None has a character with a meaning in regular expressions, so joined
// by '|' they match exactly these names.
std::vector<std::string_view> NamesOf(Role role);

// How messages show a role: by the first of NamesOf(), in the unit of that metric.
struct ShownName {
  std::string_view metric;  // "DCGM_FI_DEV_SM_CLOCK"
  double factor = 1;        // role's units per unit of the metric: 1e6
};
ShownName ShownNameOf(Role role);

// A phase that is not in the catalogue is stored under its name plus this suffix.
inline constexpr std::string_view kPhaseSuffix = "_time_s";

// Converts a series' samples to the role's, in place: units, and rates if the role is a gauge and
// the series counts. A rate has the time of the later of its two samples, so there is one sample
// less; a counter that falls was reset. Samples that are NaN stay, except those of a counter.
// Precondition: as many times as values, times ascending.
void ToRole(const NameRole& name, std::vector<int64_t>& timestamp_ms, std::vector<double>& values);

}  // namespace lockstep::catalogue
