// How metrics of OTLP become series of Prometheus: the choices that a server makes. The defaults are those of
// Prometheus. Source: Prometheus, documentation of the `otlp` section of its configuration.
#pragma once

#include <cstdint>
#include <string>

#include "base/string_map.h"

namespace lockstep::otlp {

// By the names that Prometheus gives them.
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

// Which attributes of a resource become labels of all of its series.
struct Promotion {
  bool promotes_all = false;
  StringSet attributes{};  // the promoted ones, or with promotes_all those that are not
};

enum class DeltaPolicy {
  kRefuse,
  kKeep,   // as they are: their type is unknown, native histograms of them are gauges
  kAddUp,  // to what cumulative values would be
};

enum class HistogramForm {
  kClassic,        // series NAME_bucket, NAME_count and NAME_sum
  kCustomBuckets,  // one native histogram with the bounds of its buckets
};

struct Translation {
  NameTranslation names = NameTranslation::kUnderscoreEscapingWithSuffixes;
  Promotion promotion{};
  bool promotes_scope = false;  // to labels otel_scope_*
  // Whether target_info has service.name, service.namespace and service.instance.id too.
  bool keeps_identifying_attributes = false;
  HistogramForm histograms = HistogramForm::kClassic;
  DeltaPolicy deltas = DeltaPolicy::kRefuse;
  int64_t lookback_ms = int64_t{5} * 60 * 1000;  // of queries: target_info has samples twice in it
};

}  // namespace lockstep::otlp
