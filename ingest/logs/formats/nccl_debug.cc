// NCCL's debug log: calls of collectives, and warnings.
//
// Source: NVIDIA/nccl, src/debug.cc and src/enqueue.cc.
#include <charconv>
#include <optional>
#include <string>

#include "base/string_map.h"
#include "ingest/logs/formats/formats.h"
#include "ingest/logs/record/state_coding.h"
#include "ingest/logs/text/number_text.h"

namespace lockstep::logs {
namespace {

constexpr std::string_view kInfo = " NCCL INFO ";

std::string_view Between(std::string_view text, std::string_view before, std::string_view after) {
  const size_t begin = text.find(before);
  if (begin == text.npos) return {};
  text.remove_prefix(begin + before.size());
  return text.substr(0, text.find(after));
}

class NcclDebug : public LogFormat {
 public:
  NcclDebug() : keys_({}) {}

  // "node0:4242:4301 [0] NCCL INFO ...". Warnings are handled as events of any log.
  LineVerdict Parse(const LogLine& line, RecordWriter& out) override {
    const size_t info = line.text.find(kInfo);
    const std::string_view process = ProcessOf(line.text);
    if (info == line.text.npos || process.empty()) return kIgnored;
    const std::string_view text = line.text.substr(info + kInfo.size());
    if (text.starts_with("comm 0x")) return ParseCommunicator(process, text);
    if (text.find(": opCount ") != text.npos) return ParseCollective(line, process, text, out);
    return kIgnored;
  }

  bool AppendState(std::string& out) const override {
    PutVarint64(out, ranks_.size());
    for (const auto& [process, rank] : ranks_) {
      PutLengthPrefixed(out, process);
      PutVarintSigned64(out, rank);
    }
    return true;
  }
  bool LoadState(std::string_view& in, RecordWriter&) override {
    uint64_t count = 0;
    if (!GetBelow(in, kMaxRanksPerStream + 1, count)) return false;
    for (uint64_t i = 0; i < count; ++i) {
      std::string_view process;
      int64_t rank = 0;
      if (!GetLengthPrefixed(in, process) || !GetVarintSigned64(in, rank)) return false;
      ranks_.try_emplace(std::string(process), static_cast<int32_t>(rank));
    }
    return true;
  }

 private:
  // "node0:4242" from "node0:4242:4301 [0] NCCL"
  static std::string_view ProcessOf(std::string_view line) {
    const std::string_view first = line.substr(0, line.find(' '));
    const size_t thread = first.rfind(':');
    return thread == first.npos ? std::string_view() : first.substr(0, thread);
  }

  // "comm 0x55d0 rank 0 nRanks 4 nNodes 1 ...": the process's rank.
  LineVerdict ParseCommunicator(std::string_view process, std::string_view text) {
    const auto rank = RankOf(Between(text, " rank ", " "));
    if (!rank.has_value()) return kIgnored;
    if (ranks_.size() < kMaxRanksPerStream) ranks_.try_emplace(std::string(process), *rank);
    return kTaken;
  }

  // "AllReduce: opCount 2a sendbuff 0x7f recvbuff 0x7f count 67108864 datatype 9 op 0 root 0 comm
  // 0x55d0"
  LineVerdict ParseCollective(const LogLine& line, std::string_view process, std::string_view text,
                              RecordWriter& out) {
    const std::string_view digits = Between(text, ": opCount ", " ");
    uint64_t op_count = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), op_count, 16);
    const auto element_count = NumberOf(Between(text, " count ", " "));
    if (error != std::errc() || end != digits.data() + digits.size() ||
        !element_count.has_value()) {
      return Rejected("a collective without its opCount and count");
    }
    out.Begin(line, RecordKind::kMeasurement);
    if (const auto rank = ranks_.find(process); rank != ranks_.end()) out.set_rank(rank->second);
    out.AddLabel("coll", text.substr(0, text.find(':')));
    out.AddLabel("comm", Between(text, " comm ", " "));
    out.Add(keys_.Find("nccl_op_count"), static_cast<double>(op_count));
    out.Add(keys_.Find("nccl_elements"), *element_count);
    out.Emit();
    return kTaken;
  }

  KeyCache keys_;
  StringMap<int32_t> ranks_;  // rank of each process in its first communicator
};

}  // namespace

std::unique_ptr<LogFormat> NewNcclDebug() { return std::make_unique<NcclDebug>(); }

bool IsNcclDebug(std::string_view line) {
  return line.find(kInfo) != line.npos || line.find(" NCCL WARN ") != line.npos;
}

}  // namespace lockstep::logs
