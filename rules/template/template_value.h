// Values of templates, limited to the kinds that alerts need, and their formatting as in Go.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"

namespace lockstep::rules {

using TextMap = std::map<std::string, std::string>;

// An element of an instant vector.
struct TemplateSample {
  TextMap labels;
  double value = 0;
};
// In the order of the query result.
using TemplateSamples = std::vector<TemplateSample>;

// A point in time; prints as "2026-01-02 03:04:05.678 +0000 UTC".
struct TemplateTime {
  double unix_seconds = 0;
};

// The value of the dot outside range and with.
struct TemplateRoot {};

// One of several samples; keeps them alive.
struct SampleAt {
  std::shared_ptr<const TemplateSamples> all;
  size_t index = 0;
  const TemplateSample& get() const { return (*all)[index]; }
};

using TemplateValue =
    std::variant<std::monostate, bool, int64_t, double, std::string, std::shared_ptr<const TextMap>,
                 std::shared_ptr<const TemplateSamples>, SampleAt, TemplateTime, TemplateRoot>;

// Whether `if` considers it true: not zero, not empty.
bool IsTrue(const TemplateValue& value);
// Formats like Go's %v.
std::string ToText(const TemplateValue& value);
// Go's name of its kind ("float64", "string"...), for messages.
std::string_view KindName(const TemplateValue& value);
// Accepts numbers and strings that contain a number.
absl::StatusOr<double> ToNumber(const TemplateValue& value);

// Formats like Go's fmt.Sprintf, including its error texts: "%!d(string=a)".
std::string GoPrintf(std::string_view format, const std::vector<TemplateValue>& arguments);

}  // namespace lockstep::rules
