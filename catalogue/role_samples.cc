#include "catalogue/role_samples.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace lockstep::catalogue {
namespace {

// Fewer samples may rise by chance.
constexpr size_t kFewestSamplesOfCounter = 10;

// Never falls, and rises more often than not. A gauge of bytes per second goes up and down.
bool LooksLikeCounter(std::span<const double> values) {
  if (values.size() < kFewestSamplesOfCounter) return false;
  size_t rises = 0;
  for (size_t i = 1; i < values.size(); ++i) {
    if (!(values[i] >= values[i - 1])) return false;
    rises += values[i] > values[i - 1] ? 1 : 0;
  }
  return 2 * rises > values.size();
}

bool IsCounter(Stored stored, std::span<const double> values) {
  return stored == Stored::kCounter || (stored == Stored::kEither && LooksLikeCounter(values));
}

void ToRates(std::vector<int64_t>& timestamp_ms, std::vector<double>& values) {
  struct Sample {
    int64_t timestamp_ms;
    double value;
  };
  std::optional<Sample> before;
  size_t kept = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    const Sample now{timestamp_ms[i], values[i]};
    if (before.has_value()) {
      const double grown = now.value - (now.value >= before->value ? before->value : 0);
      timestamp_ms[kept] = now.timestamp_ms;
      values[kept++] = grown * 1e3 / static_cast<double>(now.timestamp_ms - before->timestamp_ms);
    }
    before = now;
  }
  timestamp_ms.resize(kept);
  values.resize(kept);
}

double FactorFor(const NameRole& name, std::span<const double> values) {
  const bool is_percent = name.stored == Stored::kPercentOrRatio &&
                          std::ranges::any_of(values, [](double value) { return value > 1; });
  return is_percent ? name.factor / 100 : name.factor;
}

}  // namespace

RoleConversion ConversionOf(const NameRole& name, std::span<const double> values) {
  const bool is_gauge = InfoOf(name.role).kind == RoleKind::kGauge;
  return {FactorFor(name, values), is_gauge && IsCounter(name.stored, values)};
}

void Convert(const RoleConversion& conversion, std::vector<int64_t>& timestamp_ms,
             std::vector<double>& values) {
  if (conversion.takes_rate) ToRates(timestamp_ms, values);
  if (conversion.factor == 1) return;
  for (double& value : values) value *= conversion.factor;
}

void ToRole(const NameRole& name, std::vector<int64_t>& timestamp_ms, std::vector<double>& values) {
  Convert(ConversionOf(name, values), timestamp_ms, values);
}

}  // namespace lockstep::catalogue
