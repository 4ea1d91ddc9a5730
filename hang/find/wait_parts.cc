#include "hang/find/wait_parts.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/str_format.h"

namespace lockstep::hang {
namespace {

// A stack that was taken longer before or after the dump shows another moment.
constexpr int64_t kSameMomentMs = 600'000;

bool IsOfLibrary(std::string_view frame) {
  return frame.find("/torch/") != frame.npos || frame.find("(torch/") != frame.npos ||
         frame.find("/lib/python3") != frame.npos || frame.find("(<frozen") != frame.npos ||
         frame.find("(threading.py:") != frame.npos;
}

std::string_view InnermostOf(std::string_view frames) {
  return frames.substr(0, frames.find(" < "));
}

}  // namespace

bool WaitsSomewhere(const RankRecord& record) {
  return std::ranges::any_of(record.operations, IsWaiting);
}

Wait WaitIn(const JobGroup& group, const RankRecord& record, const Operation& operation) {
  Wait wait;
  wait.group = group.name;
  wait.description = group.description;
  wait.group_size = group.members.size();
  wait.kind = record.Text(operation.kind);
  wait.is_p2p = operation.is_p2p;
  wait.sequence = operation.sequence;
  wait.sizes = record.Text(operation.sizes);
  wait.dtypes = record.Text(operation.dtypes);
  wait.timeout_ms = operation.timeout_ms;
  wait.where = InnermostOf(record.Text(operation.frames));
  return wait;
}

std::string LineOf(const RankRecord& record) {
  const bool is_of_dump = !record.has_dump() || record.dump_ms == 0 ||
                          std::abs(record.stack_ms - record.dump_ms) <= kSameMomentMs;
  if (record.stack.empty() || !is_of_dump) return "";
  for (const std::string& frame : record.stack) {
    if (!IsOfLibrary(frame)) return frame;
  }
  return record.stack.front();
}

AbsentRank AbsentOf(const Member& member) {
  const RankRecord& record = *member.record;
  AbsentRank absent{.rank = member.rank, .host = record.host};
  absent.where = LineOf(record);
  absent.where_is_stack = !absent.where.empty();
  absent.waits_elsewhere = WaitsSomewhere(record);
  for (auto one = record.operations.rbegin(); one != record.operations.rend(); ++one) {
    if (one->group != member.group_in_record) continue;
    absent.last = absl::StrFormat("%s %d", record.Text(one->kind), one->sequence);
    if (absent.where.empty()) absent.where = InnermostOf(record.Text(one->frames));
    break;
  }
  return absent;
}

}  // namespace lockstep::hang
