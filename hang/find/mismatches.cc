// FindMismatch().
#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "hang/find/group_waits.h"
#include "hang/find/wait_parts.h"

namespace lockstep::hang {
namespace {

// What ranks must agree on. Unknown parts agree with everything.
struct Signature {
  std::string_view kind;
  int64_t element_count = -1;
  std::string_view dtypes;
  auto operator<=>(const Signature&) const = default;
};

Signature SignatureOf(const RankRecord& record, const Operation& operation) {
  Signature signature{record.Text(operation.kind), operation.element_count, {}};
  const std::string_view dtypes = record.Text(operation.dtypes);
  const bool is_known = !dtypes.empty() && dtypes.find("UNKNOWN") == dtypes.npos;
  if (is_known && operation.element_count >= 0) signature.dtypes = dtypes;
  return signature;
}

std::optional<MismatchKind> Compare(const Signature& a, const Signature& b) {
  if (a.kind != b.kind) return MismatchKind::kKind;
  if (a.element_count >= 0 && b.element_count >= 0 && a.element_count != b.element_count) {
    return MismatchKind::kSize;
  }
  if (!a.dtypes.empty() && !b.dtypes.empty() && a.dtypes != b.dtypes) return MismatchKind::kDtype;
  return std::nullopt;
}

// One rank's collectives of the group, in order; a batch has several of one sequence.
struct Course {
  const Member* member = nullptr;
  std::vector<const Operation*> operations;
  size_t at = 0;  // how far the comparison came

  // The operations of the sequence; empty if the dump does not have them.
  std::pair<size_t, size_t> Find(int64_t sequence) const {
    const auto [first, last] = std::ranges::equal_range(
        operations, sequence, {}, [](const Operation* one) { return one->sequence; });
    return {static_cast<size_t>(first - operations.begin()),
            static_cast<size_t>(last - operations.begin())};
  }
};

std::vector<Course> CoursesOf(const JobGroup& group) {
  std::vector<Course> courses;
  for (const Member& member : group.members) {
    if (member.record == nullptr || !member.group_in_record.has_value()) continue;
    Course course{.member = &member, .operations = {}};
    for (const Operation& operation : member.record->operations) {
      if (operation.group == *member.group_in_record && !operation.is_p2p) {
        course.operations.push_back(&operation);
      }
    }
    std::ranges::stable_sort(course.operations, {}, &Operation::sequence);
    if (!course.operations.empty()) courses.push_back(std::move(course));
  }
  return courses;
}

// What a rank entered as one collective.
struct Entry {
  const Course* course;
  std::vector<Signature> signatures;
  const Operation* first;
};

std::vector<Entry> EntriesOf(const std::vector<Course>& courses, int64_t sequence) {
  std::vector<Entry> entries;
  for (const Course& course : courses) {
    const auto [first, last] = course.Find(sequence);
    // The buffer may have dropped the beginning of a batch.
    const bool may_be_cut = course.member->record->is_wrapped &&
                            sequence <= course.member->first_kept && last - first > 1;
    if (first == last || may_be_cut) continue;
    Entry entry{&course, {}, course.operations[first]};
    for (size_t i = first; i < last; ++i) {
      entry.signatures.push_back(SignatureOf(*course.member->record, *course.operations[i]));
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::optional<MismatchKind> Compare(const Entry& a, const Entry& b) {
  if (a.signatures.size() != b.signatures.size()) return MismatchKind::kKind;
  for (size_t i = 0; i < a.signatures.size(); ++i) {
    if (const auto kind = Compare(a.signatures[i], b.signatures[i])) return kind;
  }
  return std::nullopt;
}

// What most ranks entered; of equals, the one with the lowest rank.
const Entry& Usual(const std::vector<Entry>& entries) {
  std::map<std::vector<Signature>, size_t> counts;
  for (const Entry& entry : entries) ++counts[entry.signatures];
  const Entry* usual = &entries.front();
  for (const Entry& entry : entries) {
    if (counts[entry.signatures] > counts[usual->signatures]) usual = &entry;
  }
  return *usual;
}

// Whether each entered what the other did, but at another place.
bool IsOtherOrder(const Entry& usual, const Entry& other, int64_t sequence) {
  const auto comes_later = [sequence](const Course& course, const Signature& wanted) {
    for (const Operation* const operation : course.operations) {
      if (operation->sequence <= sequence) continue;
      if (SignatureOf(*course.member->record, *operation) == wanted) return true;
    }
    return false;
  };
  return comes_later(*usual.course, other.signatures.front()) &&
         comes_later(*other.course, usual.signatures.front());
}

EnteredOperation Entered(const Entry& entry) {
  const RankRecord& record = *entry.course->member->record;
  const std::string_view frames = record.Text(entry.first->frames);
  return {entry.course->member->rank, std::string(record.Text(entry.first->kind)),
          std::string(record.Text(entry.first->sizes)),
          std::string(record.Text(entry.first->dtypes)),
          std::string(frames.substr(0, frames.find(" < ")))};
}

std::optional<Wait> MismatchAt(const JobGroup& group, const std::vector<Course>& courses,
                               int64_t sequence) {
  const std::vector<Entry> entries = EntriesOf(courses, sequence);
  if (entries.size() < 2) return std::nullopt;
  const Entry& usual = Usual(entries);
  std::optional<Wait> wait;
  for (const Entry& entry : entries) {
    const std::optional<MismatchKind> kind = Compare(usual, entry);
    if (!kind.has_value()) continue;
    if (!wait.has_value()) {
      wait = WaitIn(group, *usual.course->member->record, *usual.first);
      wait->verdict = HangVerdict::kMismatch;
      wait->mismatch = IsOtherOrder(usual, entry, sequence) ? MismatchKind::kOrder : *kind;
    }
    wait->differing.push_back(Entered(entry));
  }
  if (!wait.has_value()) return std::nullopt;
  for (const Entry& entry : entries) {
    wait->entered.push_back(entry.course->member->rank);
    if (IsWaiting(*entry.first)) wait->waiting.push_back(entry.course->member->rank);
    if (entry.first->created_ms == 0) continue;
    wait->since_ms = wait->since_ms == 0 ? entry.first->created_ms
                                         : std::min(wait->since_ms, entry.first->created_ms);
  }
  return wait;
}

// Whether all ranks left it and many others behind it: then it did not stop them.
bool IsPast(const std::vector<Course>& courses, const Wait& wait) {
  constexpr int64_t kWentOn = 8;
  if (!wait.waiting.empty()) return false;
  return std::ranges::all_of(courses, [&](const Course& course) {
    return course.operations.back()->sequence >= wait.sequence + kWentOn;
  });
}

// Steps through the sequences of all courses at once, so that agreement, the usual case, is cheap.
class Comparison {
 public:
  explicit Comparison(std::vector<Course>& courses) : courses_(courses) {}

  // The next sequence that any rank has; nothing after the last one.
  std::optional<int64_t> Next() {
    std::optional<int64_t> next;
    for (const Course& course : courses_) {
      if (course.at >= course.operations.size()) continue;
      const int64_t sequence = course.operations[course.at]->sequence;
      next = std::min(next.value_or(sequence), sequence);
    }
    return next;
  }

  // Passes the sequence. True if all ranks that have it plainly agree.
  bool Agree(int64_t sequence) {
    std::optional<Signature> common;
    bool agree = true;
    for (Course& course : courses_) {
      const size_t begin = course.at;
      while (course.at < course.operations.size() &&
             course.operations[course.at]->sequence == sequence) {
        ++course.at;
      }
      if (begin == course.at) continue;
      const Signature own = SignatureOf(*course.member->record, *course.operations[begin]);
      agree = agree && course.at - begin == 1 && own == common.value_or(own);
      common = own;
    }
    return agree;
  }

 private:
  std::vector<Course>& courses_;
};

}  // namespace

absl::StatusOr<std::optional<Wait>> FindMismatch(const JobGroup& group, QueryBudget* budget) {
  std::vector<Course> courses = CoursesOf(group);
  if (courses.size() < 2) return std::optional<Wait>();
  Comparison comparison(courses);
  while (const std::optional<int64_t> sequence = comparison.Next()) {
    if (budget != nullptr) LOCKSTEP_RETURN_IF_ERROR(budget->Check());
    if (comparison.Agree(*sequence)) continue;
    std::optional<Wait> found = MismatchAt(group, courses, *sequence);
    if (found.has_value() && !IsPast(courses, *found)) return found;
  }
  return std::optional<Wait>();
}

}  // namespace lockstep::hang
