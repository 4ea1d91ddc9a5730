// SeriesKey: 128 bits that stand for the labels of a series in memory.
//
// Keyed by numbers that each process draws anew: among a billion series the chance that any two
// share one is below 10^-20, and nobody can send series that do. So a series is found without its
// labels being compared. Never on disk. Safe from any thread.
//
// The bits are those of the labels as remote write 1.0 sends them, sorted by name: for each label
//   0x0a, varint length of what follows | 0x0a, varint length, name | 0x12, varint length, value
// so that the key of a series on the wire is one pass over bytes that nobody has to take apart. The labels before
// __name__, that label, and those after it are hashed apart: the metrics of one target differ in one part only.
//
// A series of a tenant (model/tenant.h) has the key of its other labels, mixed with one of the tenant: whoever knows the key
// of a series as its sender spells it finds the tenant's without seeing the labels again.
//
// Sources: the sums are NH of Black, Halevi, Krawczyk, Krovetz and Rogaway, "UMAC: Fast and Secure Message
// Authentication" (1999), twice with shifted keys; the folding of products is Wang Yi's, "wyhash" (public domain).
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

// What stands for a run of labels.
struct LabelsHash {
  uint64_t high = 0;
  uint64_t low = 0;
  friend bool operator==(const LabelsHash&, const LabelsHash&) = default;
};

// Labels in the form above, in three runs. Without a __name__, or before the first, all are `before_name`.
struct WireLabels {
  std::string_view before_name;
  std::string_view name;  // the whole label
  std::string_view after_name;
};

// Equal for equal labels in one process.
SeriesKey SeriesKeyOf(const LabelSet& labels);

// What makes keys of the default tenant those of another.
class TenantKey {
 public:
  explicit TenantKey(std::string_view tenant);
  // The key of the series of this tenant whose other labels have `key`.
  SeriesKey Of(const SeriesKey& key) const;

 private:
  LabelsHash hash_;
  bool is_default_;
};

// Bytes that are another form of the same labels have another key.
SeriesKey SeriesKeyOfWire(const WireLabels& labels);

// The two steps of SeriesKeyOfWire(), for who meets the same run again and again.
LabelsHash HashOfLabels(std::string_view wire);
SeriesKey SeriesKeyOfHashes(const LabelsHash& before_name, const LabelsHash& name,
                            const LabelsHash& after_name);

// Appends a label in the form above.
void AppendWireLabel(std::string_view name, std::string_view value, std::string& wire);

}  // namespace lockstep
