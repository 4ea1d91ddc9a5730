// Values that templates compute with, of the kinds that alerts meet, and how Go prints them.
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
// In the order of the answer.
using TemplateSamples = std::vector<TemplateSample>;

// A point in time; prints as "2026-01-02 03:04:05.678 +0000 UTC".
struct TemplateTime {
  double unix_seconds = 0;
};

// What the dot is outside of range and with.
struct TemplateRoot {};

// One of several samples, which it keeps alive.
struct SampleAt {
  std::shared_ptr<const TemplateSamples> all;
  size_t index = 0;
  const TemplateSample& get() const { return (*all)[index]; }
};

using TemplateValue =
    std::variant<std::monostate, bool, int64_t, double, std::string, std::shared_ptr<const TextMap>,
                 std::shared_ptr<const TemplateSamples>, SampleAt, TemplateTime, TemplateRoot>;

// Whether `if` takes it for true: not zero, not empty.
bool IsTrue(const TemplateValue& value);
// As Go's %v.
std::string ToText(const TemplateValue& value);
// "float64", "string"...: Go's name of its kind, for messages.
std::string_view KindName(const TemplateValue& value);
// Of numbers, and of texts that are numbers.
absl::StatusOr<double> ToNumber(const TemplateValue& value);

// Go's fmt.Sprintf; what is wrong with it stands in the text, as there: "%!d(string=a)".
std::string GoPrintf(std::string_view format, const std::vector<TemplateValue>& arguments);

}  // namespace lockstep::rules
