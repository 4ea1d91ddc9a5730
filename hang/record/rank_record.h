// RankRecord: what one rank's flight recorder and stack say, as far as a hang's cause needs it.
//
// Plain data; a pure function of what was read. Texts are kept once and named by number, because
// the operations of a training loop repeat.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lockstep::hang {

// How far an operation came. Recorders that do not time operations never say kStarted.
enum class OperationState : uint8_t { kScheduled, kStarted, kCompleted };
std::string_view Name(OperationState state);

// The number of a text in RankRecord::texts; 0 is "".
using TextNumber = uint32_t;

struct Operation {
  uint32_t group = 0;         // index in RankRecord::groups
  bool is_p2p = false;        // a send or a receive: its sequence counts these alone
  int64_t sequence = 0;       // counted for each group
  TextNumber kind = 0;        // "all_reduce"
  TextNumber sizes = 0;       // "[[16]]", of what the kind compares: its input or its output
  TextNumber dtypes = 0;      // "Float"
  int64_t element_count = 0;  // of `sizes`; -1: not known
  // For p2p: the other rank, numbered inside the group; -1 otherwise.
  int32_t peer = -1;
  OperationState state = OperationState::kScheduled;
  int64_t created_ms = 0;  // 0: not known
  int64_t timeout_ms = 0;  // 0: not known
  TextNumber frames = 0;  // the callers, innermost first: "step (train.py:12) < main (train.py:40)"
};

struct GroupRecord {
  TextNumber name = 0;
  TextNumber description = 0;
  std::vector<int32_t> ranks{};  // of the job, in the group's order; empty: not known
  // The highest number of a collective that the rank entered, from its entries or, without any,
  // from the recorder's own count. Empty: not known.
  std::optional<int64_t> last_entered{};
  // Collectives before this are not in the buffer any more: nothing is known about them.
  int64_t first_kept = 1;
  bool operator==(const GroupRecord&) const = default;
};

struct RankRecord {
  int32_t rank = 0;
  std::string host;
  std::string version;      // of the dump's format; "": there is no dump, only a stack
  int64_t kept_ms = 0;      // when it arrived
  int64_t dump_ms = 0;      // when it was made, as the sender says
  int64_t newest_ms = 0;    // when its newest operation began, by the rank's clock; 0: not known
  bool is_wrapped = false;  // the recorder's buffer has dropped older operations
  std::vector<std::string> texts{""};
  std::vector<GroupRecord> groups{};
  std::vector<Operation> operations{};  // oldest first
  // The stack of the thread that trains, innermost first, and when it was taken. Empty: not sent.
  std::vector<std::string> stack{};
  int64_t stack_ms = 0;

  bool has_dump() const { return !version.empty(); }
  std::string_view Text(TextNumber number) const { return texts[number]; }
};

// What a record takes in memory, which is many times its row if it has many short texts.
size_t BytesInMemory(const RankRecord& record);

// Numbers texts in order of their first use, up to kMaxTexts; further ones count as "".
class TextNumbers {
 public:
  explicit TextNumbers(std::vector<std::string>& texts) : texts_(texts) {}
  TextNumber Of(std::string_view text);

 private:
  std::vector<std::string>& texts_;
  std::unordered_map<std::string, TextNumber> numbers_;
};

// How PyTorch describes the group of all ranks.
inline constexpr std::string_view kDefaultDescription = "default_pg";

inline constexpr int32_t kMaxRank = (1 << 20) - 1;
// What a record may hold. Whatever exceeds it is dropped, oldest first.
inline constexpr size_t kMaxOperations = 256;
inline constexpr size_t kMaxGroups = 512;
inline constexpr size_t kMaxTextBytes = 400;
inline constexpr size_t kMaxTexts = 1 << 15;
inline constexpr size_t kMaxStackFrames = 24;

// Drops operations until the record is within these limits: first old ones that have completed and
// are not among the last two of their group.
void KeepNewest(RankRecord& record, size_t max_operations);

}  // namespace lockstep::hang
