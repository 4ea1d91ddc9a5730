#include "scrape/target_series.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_format.h"
#include "ingest/exposition/bound_label.h"
#include "ingest/write/label_check.h"
#include "ingest/write/refusals.h"

namespace lockstep::scrape {
namespace {

constexpr std::string_view kRenamed = "exported_";

bool Names(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Scraped labels win, even with empty values.
void AddMissing(const exposition::SeriesLabels& scraped, const LabelSet& own,
                LabelSetBuilder& labels) {
  for (const LabelView& label : own) {
    const bool is_scraped =
        !labels.Get(label.name).empty() || Names(scraped.empty_labels, label.name);
    if (!is_scraped) labels.Set(label.name, label.value);
  }
}

// The target's labels win, and scraped ones are renamed. Shorter names choose first.
void AddAndRename(const LabelSet& own, LabelSetBuilder& labels) {
  std::vector<std::pair<std::string, std::string>> renamed;
  for (const LabelView& label : own) {
    const std::string_view scraped = labels.Get(label.name);
    if (!scraped.empty()) renamed.emplace_back(label.name, scraped);
    labels.Set(label.name, label.value);
  }
  std::stable_sort(renamed.begin(), renamed.end(),
                   [](const auto& a, const auto& b) { return a.first.size() < b.first.size(); });
  for (auto& [name, value] : renamed) {
    do {
      name.insert(0, kRenamed);
    } while (!labels.Get(name).empty());
    labels.Set(name, value);
  }
}

absl::Status CheckLimits(const LabelSet& labels, const ScrapeLimits& limits) {
  if (limits.labels != 0 && labels.size() > limits.labels) {
    return absl::InvalidArgumentError(
        absl::StrFormat("label_limit exceeded: %s has %d labels, more than %d", labels.ToString(),
                        labels.size(), limits.labels));
  }
  for (const LabelView& label : labels) {
    if (limits.label_name_bytes != 0 && label.name.size() > limits.label_name_bytes) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "label_name_length_limit exceeded: the name %s has %d bytes, more than %d", label.name,
          label.name.size(), limits.label_name_bytes));
    }
    if (limits.label_value_bytes != 0 && label.value.size() > limits.label_value_bytes) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "label_value_length_limit exceeded: the value of %s has %d bytes, more than %d",
          label.name, label.value.size(), limits.label_value_bytes));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<LabelSet> LabelsOnTarget(const exposition::SeriesLabels& scraped,
                                        const Target& target) {
  const ScrapeConfig& config = *target.config;
  LabelSetBuilder builder(LabelSet::OfSorted(scraped.labels));
  if (config.honor_labels) {
    AddMissing(scraped, target.labels, builder);
  } else {
    AddAndRename(target.labels, builder);
  }
  if (!Relabel(config.metric_relabel_rules, builder)) return LabelSet();
  LabelSet labels = builder.Build();
  if (labels.empty()) return labels;
  const std::vector<LabelView> views(labels.begin(), labels.end());
  if (const auto bad = CheckLabels(views, IngestLimits())) {
    return absl::InvalidArgumentError(absl::StrFormat("%s: %s", DescribeLabels(views), bad->why));
  }
  LOCKSTEP_RETURN_IF_ERROR(CheckLimits(labels, config.limits));
  return labels;
}

uint64_t TargetSeries::Entry::ByteCount(std::string_view text) const {
  // For the node and the allocations.
  constexpr uint64_t kOverheadBytes = 64;
  return sizeof(std::pair<std::string, Entry>) + kOverheadBytes + text.size() +
         series.labels.bytes().size();
}

void TargetSeries::GiveBack(uint64_t bytes) {
  memory_.Resize(memory_.bytes() - bytes).IgnoreError();
}

absl::StatusOr<TargetSeries::Found> TargetSeries::Find(std::string_view text,
                                                       exposition::TextFormat format,
                                                       std::string_view bound_label,
                                                       const Target& target) {
  if (const auto at = entries_.find(text); at != entries_.end()) {
    const bool is_repeated = at->second.seen_in == scrape_;
    at->second.seen_in = scrape_;
    return Found{at->second, false, is_repeated};
  }
  LOCKSTEP_RETURN_IF_ERROR(exposition::ParseSeries(text, format, scratch_));
  exposition::UnifyBound(bound_label, scratch_);
  LOCKSTEP_ASSIGN_OR_RETURN(LabelSet labels, LabelsOnTarget(scratch_, target));
  Entry entry;
  entry.is_dropped = labels.empty();
  entry.seen_in = scrape_;
  if (!labels.empty()) entry.series = {SeriesKeyOf(labels), std::move(labels)};
  LOCKSTEP_RETURN_IF_ERROR(memory_.Add(entry.ByteCount(text)));
  const auto at = entries_.emplace(std::string(text), std::move(entry)).first;
  return Found{at->second, true, false};
}

std::vector<KeyedLabels> TargetSeries::End() {
  std::vector<KeyedLabels> gone = std::move(orphans_);
  orphans_.clear();
  uint64_t forgotten_bytes = std::exchange(orphan_bytes_, 0);
  for (auto at = entries_.begin(); at != entries_.end();) {
    Entry& entry = at->second;
    const bool is_seen = entry.seen_in == scrape_;
    const bool stays = is_seen && entry.tracks_end;
    if (entry.awaits_end && !stays) gone.push_back(entry.series);
    entry.awaits_end = stays;
    // Erasing does not invalidate other entries.
    const auto here = at++;
    if (is_seen) continue;
    forgotten_bytes += entry.ByteCount(here->first);
    entries_.erase(here);
  }
  GiveBack(forgotten_bytes);
  last_size_ = entries_.size();
  if (gone.empty()) return gone;
  // The same series may be present under another text.
  absl::flat_hash_set<SeriesKey> present;
  for (const auto& [text, entry] : entries_) {
    if (!entry.is_dropped) present.insert(entry.series.key);
  }
  std::erase_if(gone, [&](const KeyedLabels& series) { return present.contains(series.key); });
  return gone;
}

std::vector<KeyedLabels> TargetSeries::Abandon() {
  // Limits the memory of bodies that are invalid in a new way each time.
  constexpr size_t kMaxExtraEntries = 1000;
  std::vector<KeyedLabels> gone = std::move(orphans_);
  orphans_.clear();
  GiveBack(std::exchange(orphan_bytes_, 0));
  for (auto& [text, entry] : entries_) {
    if (entry.awaits_end) gone.push_back(entry.series);
    entry.awaits_end = false;
  }
  if (entries_.size() > 2 * last_size_ + kMaxExtraEntries) {
    entries_.clear();
    memory_.Reset();
  }
  return gone;
}

void TargetSeries::Forget() {
  uint64_t forgotten_bytes = 0;
  for (auto& [text, entry] : entries_) {
    (entry.awaits_end ? orphan_bytes_ : forgotten_bytes) += entry.ByteCount(text);
    if (entry.awaits_end) orphans_.push_back(std::move(entry.series));
  }
  entries_.clear();
  GiveBack(forgotten_bytes);
}

}  // namespace lockstep::scrape
