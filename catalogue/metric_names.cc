#include "catalogue/metric_names.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "base/string_map.h"
#include "catalogue/metric_name_rows.h"

namespace lockstep::catalogue {
namespace {

using RowsOfName = absl::InlinedVector<const NameRow*, 1>;

template <typename Function>
void ForEachName(const NameRow& row, Function function) {
  std::string_view rest = row.names;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('|'), rest.size());
    function(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

const StringMap<RowsOfName>& RowsByName() {
  static const auto* rows = [] {
    auto* by_name = new StringMap<RowsOfName>;
    for (const NameRow& row : NameRows()) {
      ForEachName(row, [&](std::string_view name) { (*by_name)[name].push_back(&row); });
    }
    return by_name;
  }();
  return *rows;
}

// The label that distinguishes the parts of a role; "": it has no parts.
std::string_view PartLabel(Role role) {
  switch (role) {
    case Role::kTrainPhaseSeconds:
      return "phase";
    case Role::kGpuClockEvents:
      return "clock_event";
    case Role::kGpuXidEvents:
      return "xid";
    default:
      return "";
  }
}

std::string_view PartOf(const NameRow& row, const LabelSet& labels) {
  if (!row.part.empty()) return row.part;
  const std::string_view label = PartLabel(row.role);
  return label.empty() ? label : labels.Get(label);
}

NameRole ToNameRole(const NameRow& row) {
  return {row.role, row.factor, row.stored, row.part, row.label, row.label_value};
}

// An aggregate over all ranks, or over another axis than time.
bool IsDerived(const LabelSet& labels) { return labels.Has("agg") || labels.Has("axis"); }

std::optional<NameRole> PhaseNamed(std::string_view metric_name) {
  if (!metric_name.ends_with(kPhaseSuffix) || metric_name.size() == kPhaseSuffix.size()) {
    return std::nullopt;
  }
  metric_name.remove_suffix(kPhaseSuffix.size());
  return NameRole{.role = Role::kTrainPhaseSeconds, .part = metric_name};
}

}  // namespace

std::optional<NameRole> RoleOf(std::string_view metric_name, const LabelSet& labels) {
  if (IsDerived(labels)) return std::nullopt;
  const auto rows = RowsByName().find(metric_name);
  if (rows == RowsByName().end()) return PhaseNamed(metric_name);
  for (const NameRow* row : rows->second) {
    if (!row->label.empty() && labels.Get(row->label) != row->label_value) continue;
    NameRole name = ToNameRole(*row);
    name.part = PartOf(*row, labels);
    return name;
  }
  return std::nullopt;
}

std::vector<NameRole> RolesOfName(std::string_view metric_name) {
  std::vector<NameRole> roles;
  const auto rows = RowsByName().find(metric_name);
  if (rows == RowsByName().end()) {
    if (const auto phase = PhaseNamed(metric_name)) roles.push_back(*phase);
    return roles;
  }
  for (const NameRow* row : rows->second) roles.push_back(ToNameRole(*row));
  return roles;
}

std::vector<std::string_view> NamesOf(Role role) {
  std::vector<std::string_view> names;
  for (const NameRow& row : NameRows()) {
    if (row.role != role) continue;
    ForEachName(row, [&](std::string_view name) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    });
  }
  return names;
}

ShownName ShownNameOf(Role role) {
  const auto row = std::ranges::find(NameRows(), role, &NameRow::role);
  return {row->names.substr(0, row->names.find('|')), row->factor};
}

}  // namespace lockstep::catalogue
