#include "storage/index/selection.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "storage/index/value_filter.h"

namespace lockstep {
namespace {

// How many values or label sets are visited between two checks of the budget.
constexpr size_t kCheckInterval = 4096;
// Looking up one label of one set costs about as much as this many steps along postings.
constexpr size_t kStepsPerQuestion = 32;

class Selector {
 public:
  Selector(const LabelSets& sets, const QueryBudget* budget)
      : sets_(sets), pairs_(sets.pairs()), budget_(budget) {}

  absl::StatusOr<std::optional<Postings>> Run(std::span<const Matcher* const> matchers) {
    Sort(matchers);
    if (exact_.empty() && filtering_.empty()) return std::nullopt;
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

  // A label with one known value goes to `exact_`; any other matcher that can exclude a set goes to
  // `filtering_`.
  void Sort(std::span<const Matcher* const> matchers) {
    for (const Matcher* matcher : matchers) {
      Condition condition{matcher->name(), ValueFilter(*matcher), false};
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
    // Conditions that give a list go before those that only exclude sets.
    std::stable_partition(filtering_.begin(), filtering_.end(),
                          [](const Condition& c) { return !c.matches_empty; });
  }

  // Sets ids_ to the sets that the exact labels leave, or to the first filtered list, or to
  // everything.
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
    ids_.reserve(sets_.size());
    sets_.ForEach([this](uint32_t id, const LabelSet&) { ids_.push_back(id); });
    return absl::OkStatus();
  }

  absl::Status Apply(const Condition& condition) {
    if (ids_.empty()) return absl::OkStatus();
    const std::optional<NameId> name = pairs_.FindName(condition.label);
    if (!name) {
      if (!condition.matches_empty) ids_.clear();
      return absl::OkStatus();
    }
    if (ids_.size() < pairs_.values(*name).size()) return KeepMatching(condition);
    LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<PostingsView> lists, Wanted(condition));
    size_t posting_count = 0;
    for (const PostingsView list : lists) posting_count += list.size();
    if (ids_.size() < posting_count / kStepsPerQuestion) return KeepMatching(condition);
    const Postings wanted = UnionOfDisjoint(lists);
    condition.matches_empty ? Subtract(ids_, wanted) : Intersect(ids_, wanted);
    return absl::OkStatus();
  }

  // Checks each set that is left, running the filter only once for each of their values.
  absl::Status KeepMatching(const Condition& condition) {
    absl::flat_hash_map<std::string_view, bool> matches;
    size_t kept = 0;
    for (size_t i = 0; i < ids_.size(); ++i) {
      if (i % kCheckInterval == 0) LOCKSTEP_RETURN_IF_ERROR(CheckBudget());
      const auto [known, is_new] =
          matches.try_emplace(sets_.LabelsOf(ids_[i]).Get(condition.label));
      if (is_new) known->second = condition.filter.Matches(known->first);
      if (known->second) ids_[kept++] = ids_[i];
    }
    ids_.resize(kept);
    return absl::OkStatus();
  }

  // The postings of the relevant values: those that match or, if "" matches, those that do not.
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

  const LabelSets& sets_;
  const LabelPairs& pairs_;
  const QueryBudget* const budget_;
  std::vector<PostingsView> exact_;
  std::vector<Condition> filtering_;
  Postings ids_;
};

}  // namespace

absl::StatusOr<std::optional<Postings>> SelectLabelSets(const LabelSets& sets,
                                                        std::span<const Matcher* const> matchers,
                                                        const QueryBudget* budget) {
  return Selector(sets, budget).Run(matchers);
}

}  // namespace lockstep
