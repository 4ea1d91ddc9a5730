// The answer to: why does this job hang?
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::hang {

enum class HangVerdict : uint8_t {
  kMismatch,      // ranks entered different operations at one place of their order
  kRanksMissing,  // ranks did not enter a collective in which others wait
  kPeerMissing,   // a send or receive waits for a rank that did not enter its counterpart
  kDumpsMissing,  // all that is known waits; what the ranks without a dump do is not known
  kAllEntered,    // all ranks entered, and it does not end
  kDeadlock,      // ranks wait for each other in different groups
  kNone,          // nothing waits
  kNoData,
};
// "ranks_missing"
std::string_view Name(HangVerdict verdict);

enum class MismatchKind : uint8_t { kKind, kSize, kDtype, kOrder };
std::string_view Name(MismatchKind kind);

// A rank that others wait for.
struct AbsentRank {
  int32_t rank = 0;
  std::string host{};
  std::string
      last{};  // the last operation that it entered in the group: "all_reduce 5"; "" if none
  std::string where{};          // the line of code; "" if not known
  bool where_is_stack = false;  // a stack's, else of the caller of its last operation
  bool waits_elsewhere = false;
};

// What one rank entered where others entered something else.
struct EnteredOperation {
  int32_t rank = 0;
  std::string kind;
  std::string sizes;
  std::string dtypes;
  std::string where;
};

struct Wait {
  HangVerdict verdict = HangVerdict::kNone;
  std::string group;        // its name
  std::string description;  // "default_pg"
  size_t group_size = 0;
  std::string kind;  // "all_reduce"
  bool is_p2p = false;
  int64_t sequence = 0;
  std::string sizes;
  std::string dtypes;
  std::vector<int32_t> waiting;     // entered it, and it did not end for them
  std::vector<int32_t> entered;     // all that entered it, with those for which it ended
  std::vector<AbsentRank> missing;  // did not enter; the first to stop first
  std::vector<int32_t> without_dump;
  // Whether it is the very next operation of a missing rank, judged by the others' order.
  bool is_next = false;
  std::vector<int32_t> unknown;  // their buffers do not reach back far enough
  std::optional<MismatchKind> mismatch;
  std::vector<EnteredOperation> differing;  // the fewer ranks; `kind`, `sizes` are the others'
  int64_t since_ms = 0;                     // when the first rank entered it; 0: not known
  int64_t timeout_ms = 0;                   // 0: not known
  std::string where;                        // where those who wait called it
};

struct SetAside {
  int32_t rank = 0;
  std::string reason;
};

struct HangAnswer {
  HangVerdict verdict = HangVerdict::kNoData;
  std::string sentence;
  std::optional<Wait> cause;
  std::vector<Wait> others;  // what waits because of it, or besides it
  size_t dump_count = 0;     // that were used
  size_t stack_count = 0;
  int64_t newest_dump_ms = 0;        // 0: none
  std::optional<int64_t> waited_ms;  // between since_ms of the cause and the newest dump
  std::vector<SetAside> set_aside;   // dumps that belong to an earlier attempt
  std::vector<std::string> remarks;
  std::vector<std::string> missing;  // what to send for a better answer
};

}  // namespace lockstep::hang
