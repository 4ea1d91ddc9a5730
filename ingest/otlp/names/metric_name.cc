#include "ingest/otlp/names/metric_name.h"

#include <algorithm>
#include <vector>

#include "ingest/otlp/names/unit_name.h"

namespace lockstep::otlp {
namespace {

bool IsCounter(const MetricHeader& metric) {
  return metric.kind == MetricKind::kSum && metric.is_monotonic;
}
// Other metrics than gauges also use the unit "1", for counts.
bool IsRatio(const MetricHeader& metric) {
  return metric.kind == MetricKind::kGauge && metric.unit == "1";
}

bool HasUnderscoresOnly(std::string_view name) {
  return name.find_first_not_of('_') == std::string_view::npos;
}

template <typename IsPart>
std::vector<std::string> PartsOf(std::string_view name, IsPart is_part) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin < name.size();) {
    size_t end = begin;
    while (end < name.size() && is_part(name[end])) ++end;
    if (end > begin) parts.emplace_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string Joined(const std::vector<std::string>& parts) {
  std::string name;
  for (const std::string& part : parts) {
    if (!name.empty()) name += '_';
    name += part;
  }
  if (!name.empty() && IsDigit(name[0])) name.insert(0, "_");
  return name;
}

bool Has(const std::vector<std::string>& parts, std::string_view part) {
  return std::ranges::find(parts, part) != parts.end();
}

void MoveToEnd(std::vector<std::string>& parts, std::string_view part) {
  std::erase(parts, part);
  parts.emplace_back(part);
}

void AddUnit(std::string_view unit, std::vector<std::string>& parts) {
  const UnitWords words = UnitWordsOf(unit);
  std::string of = EscapedUnitWord(words.of);
  std::string per = EscapedUnitWord(words.per);
  if (per.ends_with('_')) per.pop_back();
  if (Has(parts, of)) of.clear();
  if (per == "per" || Has(parts, per)) per.clear();
  if (!per.empty() && of.ends_with('_')) of.pop_back();
  if (!of.empty()) parts.push_back(std::move(of));
  if (!per.empty()) parts.push_back(std::move(per));
}

std::string EscapedWithSuffixes(const MetricHeader& metric) {
  std::vector<std::string> parts = PartsOf(metric.name, IsNameToken);
  AddUnit(metric.unit, parts);
  if (IsCounter(metric)) MoveToEnd(parts, "total");
  if (IsRatio(metric)) MoveToEnd(parts, "ratio");
  return Joined(parts);
}

std::string EscapedWithoutSuffixes(const MetricHeader& metric) {
  return Joined(PartsOf(metric.name, [](char c) { return IsNameToken(c) || c == '_'; }));
}

// Removes the suffix and the character before it, unless nothing would remain.
std::string_view WithoutSuffix(std::string_view name, std::string_view suffix) {
  if (!name.ends_with(suffix) || name.size() <= suffix.size() + 1) return name;
  return name.substr(0, name.size() - suffix.size() - 1);
}

std::string WithSuffixes(const MetricHeader& metric) {
  const UnitWords words = UnitWordsOf(metric.unit);
  std::string_view stem = metric.name;
  if (IsRatio(metric)) stem = WithoutSuffix(stem, "ratio");
  if (IsCounter(metric)) stem = WithoutSuffix(stem, "total");
  if (!words.per.empty()) stem = WithoutSuffix(stem, words.per);
  std::string name(stem);
  if (!words.of.empty() && !name.ends_with(words.of)) name += "_" + words.of;
  if (!words.per.empty()) name += "_" + words.per;
  if (IsCounter(metric)) name += "_total";
  if (IsRatio(metric)) name += "_ratio";
  return name;
}

}  // namespace

std::string MetricName(const MetricHeader& metric, NameTranslation names) {
  if (metric.name.empty()) return "";
  if (names == NameTranslation::kNoTranslation) return std::string(metric.name);
  if (names == NameTranslation::kNoUtf8EscapingWithSuffixes) return WithSuffixes(metric);
  std::string name =
      AddsSuffixes(names) ? EscapedWithSuffixes(metric) : EscapedWithoutSuffixes(metric);
  return name != metric.name && HasUnderscoresOnly(name) ? "" : name;
}

std::string LabelName(std::string_view key, NameTranslation names) {
  if (!EscapesNames(names)) return std::string(key);
  std::string name;
  for (const char c : key) {
    if (IsContinuation(c)) continue;
    name += IsLetterOrDigit(c) ? c : '_';
  }
  if (HasUnderscoresOnly(name)) return "";
  if (IsDigit(name[0])) return "key_" + name;
  // Names that begin with two underscores are reserved and stay.
  if (name.starts_with('_') && !name.starts_with("__")) return "key" + name;
  return name;
}

}  // namespace lockstep::otlp
