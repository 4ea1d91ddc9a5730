#include "cli/feature_names.h"

#include <algorithm>
#include <array>

namespace lockstep::cli {
namespace {

// The language, then what is taken in and kept, then flags that Prometheus itself has on by now.
constexpr std::array<std::string_view, 13> kBuiltIn = {
    "promql-experimental-functions",
    "promql-duration-expr",
    "promql-extended-range-selectors",
    "promql-binop-fill-modifiers",
    "promql-delayed-name-removal",
    "promql-per-step-stats",
    "use-start-timestamps",
    "native-histograms",
    "exemplar-storage",
    "otlp-write-receiver",
    "remote-write-receiver",
    "promql-at-modifier",
    "promql-negative-offset",
};

}  // namespace

bool IsBuiltInFeature(std::string_view name) {
  return std::ranges::find(kBuiltIn, name) != kBuiltIn.end();
}

}  // namespace lockstep::cli
