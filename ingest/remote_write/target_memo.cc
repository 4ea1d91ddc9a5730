#include "ingest/remote_write/target_memo.h"

namespace lockstep {

TargetMemo::Found TargetMemo::Find(std::string_view before, std::string_view after) {
  const uint32_t next = targets_[last_].next;
  const Target& expected = targets_[next];
  if (expected.request == request_ && expected.after == after && expected.before == before) {
    last_ = next;
    return {next, true};
  }
  const LabelsHash before_hash = HashOfLabels(before), after_hash = HashOfLabels(after);
  const auto number = static_cast<uint32_t>((before_hash.low ^ after_hash.high) % kMaxTargets);
  Target& target = targets_[number];
  const bool is_known = target.request == request_ && target.before_hash == before_hash &&
                        target.after_hash == after_hash;
  // Its own successor until another target follows.
  if (!is_known) target = {before, after, before_hash, after_hash, request_, number};
  targets_[last_].next = number;
  last_ = number;
  return {number, is_known};
}

}  // namespace lockstep
