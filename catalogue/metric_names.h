// Which role a stored series has, by its name and labels, and how its samples become the role's.
//
// The names are those of DCGM before and after 4.6 and of its exporters, of AMD's, Triton's, dynolog's and
// Slurm's exporters, of OpenTelemetry's hardware metrics, of trainers, of node_exporter, and those that logs
// are stored under. A name that is not known has no role; its series is what it was, and so is one that has.
//
// Plain data and pure functions: any thread. Texts live for ever.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "catalogue/roles.h"
#include "model/labels.h"

namespace lockstep::catalogue {

// How a source stores what its name says.
enum class Stored : uint8_t {
  kGauge,
  kCounter,         // a gauge's role is its rate, a total's role is itself
  kEither,          // bytes per second, or a counter of bytes: told apart by the samples
  kPercentOrRatio,  // a ratio as the role is, unless a sample is above one: then percent
};

struct NameRole {
  Role role{};
  double factor = 1;  // of the role's unit in one of the stored unit
  Stored stored = Stored::kGauge;
  // The phase, for kTrainPhaseSeconds ("data", "forward"...); the kind of event, for kGpuClockEvents; the code,
  // for kGpuXidEvents. A view of the labels, or of the catalogue. Empty: the role has no parts.
  std::string_view part = {};
  // What the series' labels must say for it to have the role; "": nothing.
  std::string_view label = {};
  std::string_view label_value = {};
};

// Nothing for a name that is not known, for one whose labels say that it is about something else (the
// temperature of a fan), and for what is no value of one rank and time (`agg`, `axis`). `labels` must outlive
// the part; the metric name may be among them.
std::optional<NameRole> RoleOf(std::string_view metric_name, const LabelSet& labels);

// The roles that series of the name may have, by what their labels say; parts that labels say are empty.
std::vector<NameRole> RolesOfName(std::string_view metric_name);

// All names that may have the role, the most telling first: where a device has series of two, the first counts.
// None of them has a character that means anything in a regular expression, so that joined by '|' they
// are a matcher of equalities.
std::vector<std::string_view> NamesOf(Role role);

// A phase that is not in the catalogue is stored as its name and this.
inline constexpr std::string_view kPhaseSuffix = "_time_s";

// Turns a series' samples into the role's, in place: units, and rates where the role is a gauge and the
// series counts. A rate has the time of the later of two samples, so one sample is less; a counter that
// falls began again. Samples that are no number stay, but none of a counter. Precondition: as many of
// each, times ascending.
void ToRole(const NameRole& name, std::vector<int64_t>& timestamp_ms, std::vector<double>& values);

}  // namespace lockstep::catalogue
