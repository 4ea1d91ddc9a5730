#include "import/tail/tailed_log.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/crc32c.h"
#include "base/log.h"

namespace lockstep::tail {
namespace {

constexpr size_t kPieceBytes = 1 << 20;
// Enough to include a time or something else that distinguishes logs.
constexpr uint64_t kHeadBytes = 256;
constexpr size_t kMaxNameBytes = 200;
// How many responses without progress to accept for one log before waiting for the next check.
constexpr int kMaxFutileAnswers = 3;

}  // namespace

TailedLog::TailedLog(OpenFile file, std::string source, importer::PushedLog::Route route,
                     logs::LogHints hints, std::string host, TailedLogState state)
    : file_(std::move(file)),
      source_(std::move(source)),
      route_(route),
      hints_(std::move(hints)),
      host_(std::move(host)),
      state_(std::move(state)),
      sent_(state_.offset) {}

absl::Status TailedLog::Look(int64_t now_ms) {
  LOCKSTEP_ASSIGN_OR_RETURN(const OpenFile::About about, file_.Look());
  if (about.size != size_ || grown_ms_ == 0) grown_ms_ = now_ms;
  size_ = about.size;
  is_deleted_ = about.is_deleted;
  written_ms_ = std::min(about.modified_ms, now_ms);
  state_.device = about.device;
  state_.inode = about.inode;
  LOCKSTEP_ASSIGN_OR_RETURN(const bool is_same, IsSameLog());
  if (!is_same) Begin(now_ms);
  return TakeHead();
}

// False if the file was truncated and rewritten: it is shorter or has another beginning.
absl::StatusOr<bool> TailedLog::IsSameLog() {
  if (state_.stream.empty() || size_ < state_.offset || size_ < state_.head_bytes) return false;
  LOCKSTEP_RETURN_IF_ERROR(file_.Read(0, state_.head_bytes, bytes_));
  return bytes_.size() == state_.head_bytes && Crc32c(bytes_) == state_.head_crc;
}

void TailedLog::Begin(int64_t now_ms) {
  if (!state_.stream.empty()) Log(LogLevel::kInfo, "a log starts over", {{"path", source_}});
  state_.head_bytes = 0;
  state_.head_crc = 0;
  state_.offset = 0;
  state_.pushes.clear();
  sent_ = 0;
  const std::string name = std::filesystem::path(source_).filename().string();
  state_.stream = absl::StrFormat("tail/%s/%d.%d.%d/%s", host_, state_.device, state_.inode, now_ms,
                                  name.substr(0, kMaxNameBytes));
  std::replace(state_.stream.begin(), state_.stream.end(), '\n', ' ');
}

// Repeated while the head is still growing.
absl::Status TailedLog::TakeHead() {
  const auto bytes = static_cast<uint32_t>(std::min(size_, kHeadBytes));
  if (bytes == state_.head_bytes) return absl::OkStatus();
  LOCKSTEP_RETURN_IF_ERROR(file_.Read(0, bytes, bytes_));
  state_.head_bytes = static_cast<uint32_t>(bytes_.size());
  state_.head_crc = Crc32c(bytes_);
  return absl::OkStatus();
}

// Bytes sent before keep their original time.
absl::StatusOr<importer::PushedLog::Piece> TailedLog::NextPiece() {
  uint64_t end = size_;
  // For bytes that waited for the server: the latest time they can have been written.
  int64_t arrival_ms = written_ms_;
  if (!state_.pushes.empty()) {
    arrival_ms = std::max(arrival_ms, state_.pushes.back().arrival_ms);
  }
  const auto push = std::upper_bound(
      state_.pushes.begin(), state_.pushes.end(), sent_,
      [](uint64_t offset, const PushedBytes& bytes) { return offset < bytes.end; });
  if (push != state_.pushes.end()) {
    end = push->end;
    arrival_ms = push->arrival_ms;
  }
  LOCKSTEP_RETURN_IF_ERROR(file_.Read(sent_, std::min<uint64_t>(end - sent_, kPieceBytes), bytes_));
  return importer::PushedLog::Piece{bytes_, sent_, arrival_ms, false};
}

bool TailedLog::Settle(const importer::PushedLog::Piece& piece,
                       const importer::PushAnswer& answer) {
  if (answer.next_offset > size_) return false;
  if (answer.refused_samples > 0) {
    Log(LogLevel::kWarn, "samples of a log were refused",
        {{"path", source_}, {"samples", answer.refused_samples}, {"why", answer.refused}});
  }
  if (answer.next_offset < sent_) {
    Log(LogLevel::kInfo, "the server needs a log again",
        {{"path", source_}, {"from", answer.next_offset}});
  }
  sent_ = answer.next_offset;
  state_.AddPush(sent_, piece.arrival_ms);
  return true;
}

absl::Status TailedLog::Push(importer::Delivery& delivery, int64_t now_ms) {
  LOCKSTEP_RETURN_IF_ERROR(Look(now_ms));
  int futile = 0;
  while (sent_ < size_ && futile < kMaxFutileAnswers) {
    LOCKSTEP_ASSIGN_OR_RETURN(const importer::PushedLog::Piece piece, NextPiece());
    // The file has just shrunk.
    if (piece.bytes.empty()) break;
    LOCKSTEP_ASSIGN_OR_RETURN(
        const importer::PushAnswer answer,
        importer::PushedLog(delivery, route_, state_.stream, hints_).Send(piece));
    futile = answer.next_offset > piece.offset ? 0 : futile + 1;
    if (!Settle(piece, answer)) Begin(now_ms);
  }
  return absl::OkStatus();
}

absl::Status TailedLog::End(importer::Delivery& delivery) {
  return importer::PushedLog(delivery, route_, state_.stream, hints_)
      .Send({"", sent_, state_.pushes.empty() ? 0 : state_.pushes.back().arrival_ms, true})
      .status();
}

}  // namespace lockstep::tail
