#include "hang/find/hang_words.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_format.h"

namespace lockstep::hang {

std::string_view Name(HangVerdict verdict) {
  switch (verdict) {
    case HangVerdict::kMismatch:
      return "mismatch";
    case HangVerdict::kRanksMissing:
      return "ranks_missing";
    case HangVerdict::kPeerMissing:
      return "peer_missing";
    case HangVerdict::kDumpsMissing:
      return "dumps_missing";
    case HangVerdict::kAllEntered:
      return "all_entered";
    case HangVerdict::kDeadlock:
      return "deadlock";
    case HangVerdict::kNone:
      return "none";
    case HangVerdict::kNoData:
      return "no_data";
  }
  return "";
}

std::string_view Name(MismatchKind kind) {
  switch (kind) {
    case MismatchKind::kKind:
      return "kind";
    case MismatchKind::kSize:
      return "size";
    case MismatchKind::kDtype:
      return "dtype";
    case MismatchKind::kOrder:
      return "order";
  }
  return "";
}

std::string RankList(std::span<const int32_t> ranks) {
  constexpr size_t kMostRuns = 16;
  std::string text;
  size_t runs = 0;
  for (size_t i = 0; i < ranks.size();) {
    size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (++runs > kMostRuns) {
      absl::StrAppendFormat(&text, " and %d more", ranks.size() - i);
      break;
    }
    if (!text.empty()) text += ", ";
    absl::StrAppendFormat(&text, "%d", ranks[i]);
    if (end - i > 1) absl::StrAppendFormat(&text, "%s%d", end - i > 2 ? "-" : ", ", ranks[end - 1]);
    i = end;
  }
  return text;
}

namespace {

std::string Ranks(std::span<const int32_t> ranks) {
  return absl::StrFormat("%s %s", ranks.size() == 1 ? "rank" : "ranks", RankList(ranks));
}

std::string Capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text;
}

std::string GroupWords(const Wait& wait) {
  const bool has_description = !wait.description.empty() && wait.description != "undefined";
  return has_description ? absl::StrFormat("group %s (%s)", wait.description, wait.group)
                         : absl::StrFormat("group %s", wait.group);
}

std::string OperationWords(const Wait& wait) {
  return absl::StrFormat("%s %d of %s", wait.kind, wait.sequence, GroupWords(wait));
}

std::vector<int32_t> AbsentRanks(const std::vector<AbsentRank>& absent) {
  std::vector<int32_t> ranks;
  for (const AbsentRank& one : absent) ranks.push_back(one.rank);
  std::ranges::sort(ranks);
  return ranks;
}

std::string WaitingWords(const Wait& wait) {
  if (wait.waiting.empty()) return "";
  return absl::StrFormat("; %s %s in it", Ranks(wait.waiting),
                         wait.waiting.size() == 1 ? "waits" : "wait");
}

std::string WhereWords(const Wait& wait) {
  constexpr size_t kMostRanks = 3;
  std::string words;
  size_t told = 0;
  for (const AbsentRank& absent : wait.missing) {
    if (absent.where.empty() || told == kMostRanks) continue;
    ++told;
    if (absent.where_is_stack) {
      absl::StrAppendFormat(&words, " Rank %d is in %s.", absent.rank, absent.where);
    } else if (!absent.last.empty()) {
      absl::StrAppendFormat(&words, " Rank %d last entered %s, from %s.", absent.rank, absent.last,
                            absent.where);
    }
  }
  return words;
}

std::string UnknownWords(const Wait& wait) {
  std::string words;
  if (!wait.without_dump.empty()) {
    absl::StrAppendFormat(&words, " There is no dump of %s.", Ranks(wait.without_dump));
  }
  if (!wait.unknown.empty()) {
    absl::StrAppendFormat(&words, " The buffers of %s do not reach back to it.",
                          Ranks(wait.unknown));
  }
  return words;
}

std::string EnteredWords(std::string_view kind, std::string_view sizes, std::string_view dtypes) {
  std::string text(kind);
  if (!sizes.empty() && sizes != "[]") absl::StrAppendFormat(&text, " of %s", sizes);
  if (!dtypes.empty()) absl::StrAppendFormat(&text, " %s", dtypes);
  return text;
}

std::string MismatchWords(const Wait& wait) {
  constexpr size_t kMostRanks = 3;
  std::string words =
      absl::StrFormat("Ranks disagree on operation %d of %s: most entered %s", wait.sequence,
                      GroupWords(wait), EnteredWords(wait.kind, wait.sizes, wait.dtypes));
  for (size_t i = 0; i < wait.differing.size() && i < kMostRanks; ++i) {
    const EnteredOperation& other = wait.differing[i];
    absl::StrAppendFormat(&words, ", rank %d %s", other.rank,
                          EnteredWords(other.kind, other.sizes, other.dtypes));
    if (!other.where.empty()) absl::StrAppendFormat(&words, " from %s", other.where);
  }
  if (wait.differing.size() > kMostRanks) {
    absl::StrAppendFormat(&words, ", and %d more ranks", wait.differing.size() - kMostRanks);
  }
  words += '.';
  if (wait.mismatch == MismatchKind::kOrder) {
    words += " Each enters what the other does, in another order.";
  }
  return words;
}

std::string PeerWords(const Wait& wait) {
  return absl::StrFormat("%s waits in %s for %s, which did not enter the counterpart.",
                         Capital(Ranks(wait.waiting)), OperationWords(wait),
                         Ranks(AbsentRanks(wait.missing)));
}

std::string DurationWords(int64_t duration_ms) {
  const double seconds = static_cast<double>(duration_ms) / 1000;
  return seconds < 120 ? absl::StrFormat("%.3g s", seconds)
                       : absl::StrFormat("%.1f min", seconds / 60);
}

}  // namespace

std::string SentenceOf(const Wait& wait) {
  std::string words;
  switch (wait.verdict) {
    case HangVerdict::kMismatch:
      words = MismatchWords(wait);
      break;
    case HangVerdict::kRanksMissing:
      words = absl::StrFormat("%s did not enter %s%s.", Capital(Ranks(AbsentRanks(wait.missing))),
                              OperationWords(wait), WaitingWords(wait));
      break;
    case HangVerdict::kPeerMissing:
      words = PeerWords(wait);
      break;
    case HangVerdict::kDumpsMissing:
      words = absl::StrFormat("All ranks with a dump entered %s%s.", OperationWords(wait),
                              WaitingWords(wait));
      break;
    default:
      words = absl::StrFormat(
          "All ranks entered %s and it does not end%s: look for a GPU or a link that failed.",
          OperationWords(wait), WaitingWords(wait));
  }
  return words + WhereWords(wait) + UnknownWords(wait);
}

std::string SentenceOf(const HangAnswer& answer) {
  // A wait of a busy job is no hang.
  constexpr int64_t kShortMs = 30'000;
  if (answer.dump_count == 0) return "Nobody sent a dump of this job.";
  if (answer.verdict == HangVerdict::kNoData) return "The dumps have no operations.";
  if (!answer.cause.has_value()) {
    return "No operation was waiting when the dumps were made.";
  }
  std::string words = SentenceOf(*answer.cause);
  if (answer.verdict == HangVerdict::kDeadlock) {
    words = "Ranks wait for each other in different groups or operations. " + words;
  }
  if (answer.waited_ms.has_value()) {
    absl::StrAppendFormat(&words, " When the newest dump was made, that had lasted %s.",
                          DurationWords(*answer.waited_ms));
    if (*answer.waited_ms < kShortMs) words += " A wait this short may be none that lasts.";
  }
  return words;
}

std::string TextOf(std::string_view job, const HangAnswer& answer) {
  std::string text = absl::StrFormat("%s: %s\n%s\n", job, Name(answer.verdict), answer.sentence);
  if (answer.cause.has_value() && !answer.cause->where.empty()) {
    absl::StrAppendFormat(&text, "Those who wait called it from %s.\n", answer.cause->where);
  }
  if (!answer.others.empty()) text += "\nBesides, or because of it:\n";
  for (const Wait& other : answer.others) {
    absl::StrAppendFormat(&text, "  %s\n", SentenceOf(other));
  }
  absl::StrAppendFormat(&text, "\nEvidence: %d dumps, %d stacks.\n", answer.dump_count,
                        answer.stack_count);
  for (const SetAside& one : answer.set_aside) {
    absl::StrAppendFormat(&text, "Not used: the dump of rank %d: %s.\n", one.rank, one.reason);
  }
  for (const std::string& remark : answer.remarks)
    absl::StrAppendFormat(&text, "Note: %s.\n", remark);
  for (const std::string& what : answer.missing) absl::StrAppendFormat(&text, "Send: %s.\n", what);
  return text;
}

}  // namespace lockstep::hang
