// Sends one rank's evidence of a hang: a flight recorder's dump, or a stack by faulthandler or
// py-spy. The server reads it; on a dry run it is read here.
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/text/url.h"
#include "hang/dump/evidence.h"
#include "import/importers.h"

namespace lockstep::importer {
namespace {

// As much as a server takes in one request.
constexpr size_t kMaxDumpBytes = size_t{32} << 20;

absl::StatusOr<std::string> ReadWhole(ByteSource& source, ImportReport& report) {
  std::string bytes;
  while (true) {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string_view piece, source.Next());
    report.read_bytes = source.read_bytes();
    if (piece.empty()) return bytes;
    if (bytes.size() + piece.size() > kMaxDumpBytes) {
      return absl::OutOfRangeError(absl::StrFormat(
          "it has more than %d bytes, which no dump of one rank has", kMaxDumpBytes));
    }
    bytes += piece;
  }
}

}  // namespace

absl::Status ImportDump(ByteSource& source, const logs::LogHints& hints,
                        const ImportSession& session, ImportReport& report) {
  if (hints.job.empty()) {
    return absl::InvalidArgumentError("a dump does not name its job: set it with --job");
  }
  const std::optional<int32_t> rank =
      hints.rank.has_value() ? hints.rank : hang::RankInName(source.path());
  if (!rank.has_value()) {
    return absl::InvalidArgumentError("its name does not end with a rank: set it with --rank");
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string bytes, ReadWhole(source, report));
  MemoryCharge memory;  // without an account: the user's own file
  LOCKSTEP_ASSIGN_OR_RETURN(const hang::RankRecord record, hang::ReadEvidence(bytes, &memory));
  report.remarks.push_back(
      record.has_dump()
          ? absl::StrFormat("rank %d, %d of its operations", *rank, record.operations.size())
          : absl::StrFormat("rank %d, %d frames of its stack", *rank, record.stack.size()));
  if (session.is_dry_run) return absl::OkStatus();
  const std::string path =
      absl::StrFormat("/api/v1/push/dump?job=%s&rank=%d&time=%d.%03d", PercentEncode(hints.job),
                      *rank, source.modified_ms() / 1000, source.modified_ms() % 1000);
  LOCKSTEP_ASSIGN_OR_RETURN(
      const Reply reply,
      session.delivery.Send({path, {"Content-Type: application/octet-stream"}, bytes}));
  if (reply.status != 200) return absl::FailedPreconditionError(Describe(reply));
  if (reply.body.find("\"is_older\":true") != reply.body.npos) {
    report.remarks.emplace_back("the server keeps a newer one of this rank");
  }
  return absl::OkStatus();
}

}  // namespace lockstep::importer
