// The server's options for translating OTLP metrics to Prometheus series. The defaults are
// Prometheus' own. Source: Prometheus, documentation of the `otlp` section of its configuration.
#pragma once

#include <cstdint>
#include <string>

#include "base/string_map.h"

namespace lockstep::otlp {

// With Prometheus' names.
enum class NameTranslation {
  kUnderscoreEscapingWithSuffixes,
  kUnderscoreEscapingWithoutSuffixes,
  kNoUtf8EscapingWithSuffixes,
  kNoTranslation,
};

inline bool EscapesNames(NameTranslation names) {
  return names == NameTranslation::kUnderscoreEscapingWithSuffixes ||
         names == NameTranslation::kUnderscoreEscapingWithoutSuffixes;
}
inline bool AddsSuffixes(NameTranslation names) {
  return names == NameTranslation::kUnderscoreEscapingWithSuffixes ||
         names == NameTranslation::kNoUtf8EscapingWithSuffixes;
}

// Which resource attributes become labels of all of the resource's series.
struct Promotion {
  bool promotes_all = false;
  StringSet attributes{};  // promoted; with promotes_all, not promoted
};

enum class DeltaPolicy {
  kRefuse,
  kKeep,   // unchanged: type unknown, native histograms become gauges
  kAddUp,  // converts them to cumulative values
};

enum class HistogramForm {
  kClassic,        // series NAME_bucket, NAME_count and NAME_sum
  kCustomBuckets,  // one native histogram with the bounds of its buckets
};

struct Translation {
  NameTranslation names = NameTranslation::kUnderscoreEscapingWithSuffixes;
  Promotion promotion{};
  bool promotes_scope = false;  // to labels otel_scope_*
  // Whether target_info also has service.name, service.namespace and service.instance.id.
  bool keeps_identifying_attributes = false;
  HistogramForm histograms = HistogramForm::kClassic;
  DeltaPolicy deltas = DeltaPolicy::kRefuse;
  int64_t lookback_ms =
      int64_t{5} * 60 * 1000;  // of queries; target_info gets two samples per lookback
};

}  // namespace lockstep::otlp
