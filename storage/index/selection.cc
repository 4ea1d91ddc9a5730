#include "storage/index/selection.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "storage/index/value_filter.h"

namespace lockstep {
namespace {

// How many values or series are looked at between two looks at the budget.
constexpr size_t kCheckInterval = 4096;
// Finding one label of one series costs about as much as this many steps along postings.
constexpr size_t kStepsPerQuestion = 32;

// The pair of series `id` whose name is `name`.
std::optional<PairId> PairOf(const LabelPairs& pairs, const SeriesTable& series, SeriesId id,
                             NameId name) {
  for (const PairId pair_id : series.Pairs(id)) {
    if (pairs.pair(pair_id).name == name) return pair_id;
  }
  return std::nullopt;
}

class Selector {
 public:
  Selector(const LabelPairs& pairs, const SeriesTable& series, PostingsView all_ids,
           const QueryBudget* budget)
      : pairs_(pairs), series_(series), all_ids_(all_ids), budget_(budget) {}

  absl::StatusOr<Postings> Run(std::span<const Matcher> matchers) {
    Sort(matchers);
    LOCKSTEP_RETURN_IF_ERROR(Start());
    for (const Condition& condition : filtering_) {
      LOCKSTEP_RETURN_IF_ERROR(CheckBudget());
      LOCKSTEP_RETURN_IF_ERROR(Apply(condition));
    }
    return std::move(ids_);
  }

 private:
  struct Condition {
    std::string_view label;
    ValueFilter filter;
    bool matches_empty;
  };

  // A label with one known value goes to `exact_`, everything else that can exclude a series to
  // `filtering_`.
  void Sort(std::span<const Matcher> matchers) {
    for (const Matcher& matcher : matchers) {
      Condition condition{matcher.name(), ValueFilter(matcher), false};
      if (condition.filter.form() == ValueFilter::Form::kAnything && !condition.filter.negated()) {
        continue;
      }
      condition.matches_empty = condition.filter.Matches({});
      if (condition.filter.form() == ValueFilter::Form::kLiterals && !condition.filter.negated() &&
          condition.filter.literals().size() == 1 && !condition.matches_empty) {
        exact_.push_back(PostingsOf(condition.label, condition.filter.literals().front()));
      } else {
        filtering_.push_back(std::move(condition));
      }
    }
    // Those that give a list go before those that only take away.
    std::stable_partition(filtering_.begin(), filtering_.end(),
                          [](const Condition& c) { return !c.matches_empty; });
  }

  // Sets ids_ to what the exact labels leave, or to the first filtered list, or to everything.
  absl::Status Start() {
    if (!exact_.empty()) {
      std::sort(exact_.begin(), exact_.end(),
                [](PostingsView a, PostingsView b) { return a.size() < b.size(); });
      ids_.assign(exact_.front().begin(), exact_.front().end());
      for (size_t i = 1; i < exact_.size(); ++i) Intersect(ids_, exact_[i]);
      return absl::OkStatus();
    }
    if (!filtering_.empty() && !filtering_.front().matches_empty) {
      const Condition first = std::move(filtering_.front());
      filtering_.erase(filtering_.begin());
      LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<PostingsView> lists, Wanted(first));
      ids_ = UnionOfDisjoint(lists);
      return absl::OkStatus();
    }
    ids_.assign(all_ids_.begin(), all_ids_.end());
    return absl::OkStatus();
  }

  absl::Status Apply(const Condition& condition) {
    if (ids_.empty()) return absl::OkStatus();
    const std::optional<NameId> name = pairs_.FindName(condition.label);
    if (!name) {
      if (!condition.matches_empty) ids_.clear();
      return absl::OkStatus();
    }
    if (ids_.size() < pairs_.values(*name).size()) return KeepMatching(condition, *name);
    LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<PostingsView> lists, Wanted(condition));
    size_t posting_count = 0;
    for (const PostingsView list : lists) posting_count += list.size();
    if (ids_.size() < posting_count / kStepsPerQuestion) return KeepMatching(condition, *name);
    const Postings wanted = UnionOfDisjoint(lists);
    condition.matches_empty ? Subtract(ids_, wanted) : Intersect(ids_, wanted);
    return absl::OkStatus();
  }

  // Asks each series that is left, each of their values once.
  absl::Status KeepMatching(const Condition& condition, NameId name) {
    absl::flat_hash_map<PairId, bool> matches;
    size_t kept = 0;
    for (size_t i = 0; i < ids_.size(); ++i) {
      if (i % kCheckInterval == 0) LOCKSTEP_RETURN_IF_ERROR(CheckBudget());
      bool keep = condition.matches_empty;
      if (const std::optional<PairId> pair = PairOf(pairs_, series_, ids_[i], name)) {
        const auto [known, is_new] = matches.try_emplace(*pair);
        if (is_new) known->second = condition.filter.Matches(pairs_.pair(*pair).value);
        keep = known->second;
      }
      if (keep) ids_[kept++] = ids_[i];
    }
    ids_.resize(kept);
    return absl::OkStatus();
  }

  // The postings of the values that decide: those that match, or, if "" matches, those that do not.
  absl::StatusOr<std::vector<PostingsView>> Wanted(const Condition& condition) {
    std::vector<PostingsView> lists;
    const std::optional<NameId> name = pairs_.FindName(condition.label);
    if (!name) return lists;
    if (condition.filter.form() == ValueFilter::Form::kLiterals &&
        condition.filter.negated() == condition.matches_empty) {
      for (const std::string& literal : condition.filter.literals()) {
        lists.push_back(PostingsOf(condition.label, literal));
      }
      return lists;
    }
    size_t looked_at = 0;
    for (const auto& [value, pair_id] : pairs_.values(*name)) {
      if (looked_at++ % kCheckInterval == 0) LOCKSTEP_RETURN_IF_ERROR(CheckBudget());
      if (condition.filter.Matches(value) != condition.matches_empty) {
        lists.push_back(pairs_.pair(pair_id).postings);
      }
    }
    return lists;
  }

  PostingsView PostingsOf(std::string_view label, std::string_view value) const {
    const std::optional<PairId> pair = pairs_.Find(label, value);
    return pair ? PostingsView(pairs_.pair(*pair).postings) : PostingsView();
  }

  absl::Status CheckBudget() const {
    return budget_ == nullptr ? absl::OkStatus() : budget_->Check();
  }

  const LabelPairs& pairs_;
  const SeriesTable& series_;
  const PostingsView all_ids_;
  const QueryBudget* const budget_;
  std::vector<PostingsView> exact_;
  std::vector<Condition> filtering_;
  Postings ids_;
};

}  // namespace

absl::StatusOr<Postings> SelectSeries(const LabelPairs& pairs, const SeriesTable& series,
                                      PostingsView all_ids, std::span<const Matcher> matchers,
                                      const QueryBudget* budget) {
  return Selector(pairs, series, all_ids, budget).Run(matchers);
}

std::vector<NameId> NamesOf(const LabelPairs& pairs, const SeriesTable& series, PostingsView ids) {
  absl::flat_hash_set<NameId> names;
  for (const SeriesId id : ids) {
    for (const PairId pair_id : series.Pairs(id)) names.insert(pairs.pair(pair_id).name);
  }
  return {names.begin(), names.end()};
}

std::vector<PairId> PairsOf(const LabelPairs& pairs, const SeriesTable& series, NameId name,
                            PostingsView ids) {
  absl::flat_hash_set<PairId> found;
  for (const SeriesId id : ids) {
    if (const std::optional<PairId> pair = PairOf(pairs, series, id, name)) found.insert(*pair);
  }
  return {found.begin(), found.end()};
}

}  // namespace lockstep
