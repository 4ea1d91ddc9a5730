// SeriesKey: 128 bits that stand for the labels of a series in memory.
//
// It is keyed by numbers that each process draws anew. Among a billion series the chance that any
// two share a key is below 10^-20, and nobody can send series that do on purpose. So a series is
// found without comparing its labels. Never on disk. Safe from any thread.
//
// The hashed bytes are the labels as remote write 1.0 sends them, sorted by name: for each label
//   0x0a, varint length of what follows | 0x0a, varint length, name | 0x12, varint length, value
// so that the key of a series on the wire takes one pass over bytes without parsing them. The
// labels before __name__, that label, and those after it are hashed separately: the metrics of one
// target differ in only one of these parts.
//
// A series of a tenant (model/tenant.h) has the key of its other labels, mixed with a key of the
// tenant. So the sender's key of a series gives the tenant's key without another look at the
// labels.
//
// Sources: the sums are NH from Black, Halevi, Krawczyk, Krovetz and Rogaway, "UMAC: Fast and
// Secure Message Authentication" (1999), twice with shifted keys; the folding of products is from
// Wang Yi, "wyhash" (public domain).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "model/labels.h"

namespace lockstep {

struct SeriesKey {
  uint64_t high = 0;
  uint64_t low = 0;
  friend bool operator==(const SeriesKey&, const SeriesKey&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const SeriesKey& key) {
    return H::combine(std::move(h), key.low);
  }
};

// The hash of a run of labels.
struct LabelsHash {
  uint64_t high = 0;
  uint64_t low = 0;
  friend bool operator==(const LabelsHash&, const LabelsHash&) = default;
};

// Labels in the form above, in three runs. Without a __name__, or before the first one, all are
// `before_name`.
struct WireLabels {
  std::string_view before_name;
  std::string_view name;  // the whole label
  std::string_view after_name;
};

// Equal for equal labels within one process.
SeriesKey SeriesKeyOf(const LabelSet& labels);

// Turns keys of the default tenant into keys of another tenant.
class TenantKey {
 public:
  explicit TenantKey(std::string_view tenant);
  // The key of the series of this tenant whose other labels have `key`.
  SeriesKey Of(const SeriesKey& key) const;

 private:
  LabelsHash hash_;
  bool is_default_;
};

// Other bytes that encode the same labels have another key.
SeriesKey SeriesKeyOfWire(const WireLabels& labels);

// The two steps of SeriesKeyOfWire(), for callers that see the same run again and again.
LabelsHash HashOfLabels(std::string_view wire);
SeriesKey SeriesKeyOfHashes(const LabelsHash& before_name, const LabelsHash& name,
                            const LabelsHash& after_name);

// Appends a label in the form above.
void AppendWireLabel(std::string_view name, std::string_view value, std::string& wire);

}  // namespace lockstep
