#include "api/prometheus/remote_read_handler.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/http/reply.h"
#include "api/query/query_stats_json.h"
#include "api/query/series_walk.h"
#include "export/read_request.h"
#include "export/read_response.h"
#include "ingest/write/body_encoding.h"

namespace lockstep::api {
namespace {

constexpr size_t kMaxRequestBytes = 32 << 20;

// Frames, generated while they are sent.
class ChunkBody final : public BodySource {
 public:
  ChunkBody(SeriesWalk walk, std::shared_ptr<const void> place)
      : place_(std::move(place)), walk_(std::move(walk)) {}

  absl::StatusOr<bool> Next(std::string& out) override {
    constexpr size_t kPartBytes = 256 << 10;
    const size_t full = out.size() + kPartBytes;
    while (out.size() < full) {
      LOCKSTEP_ASSIGN_OR_RETURN(const bool found, walk_.Next());
      if (!found) return false;
      samples_read_ += static_cast<int64_t>(walk_.samples().size());
      AppendSeriesFrames(walk_.labels(), walk_.samples(), static_cast<int64_t>(walk_.query_index()),
                         out);
    }
    return true;
  }

  int64_t samples_read() const { return samples_read_; }

 private:
  const std::shared_ptr<const void> place_;  // holds the budget; destroyed last
  SeriesWalk walk_;
  int64_t samples_read_ = 0;
};

absl::Status ChargeBytes(size_t bytes, QueryBudget& budget) {
  return budget.Charge(static_cast<int64_t>(bytes) / kBytesPerChargedSample + 1);
}

// Returns all samples in one block, charged to the budget.
absl::StatusOr<Response> Samples(SeriesWalk walk, const Permit& permit) {
  std::vector<std::string> results(walk.query_count());
  for (;;) {
    LOCKSTEP_ASSIGN_OR_RETURN(const bool found, walk.Next());
    if (!found) break;
    permit.progress.samples_read += static_cast<int64_t>(walk.samples().size());
    std::string& result = results[walk.query_index()];
    const size_t before = result.size();
    AppendReadSeries(walk.labels(), walk.samples(), result);
    LOCKSTEP_RETURN_IF_ERROR(ChargeBytes(result.size() - before, permit.budget));
  }
  // The complete result plus its compressed copy, which may be slightly larger.
  size_t result_bytes = 0;
  for (const std::string& result : results) result_bytes += result.size();
  LOCKSTEP_RETURN_IF_ERROR(permit.budget.ChargeAnswer(static_cast<int64_t>(result_bytes)));
  std::string read_response;
  for (std::string& result : results) {
    AppendQueryResult(result, read_response);
    std::string().swap(result);
  }
  Response response;
  response.content_type = "application/x-protobuf";
  response.headers.push_back({"Content-Encoding", "snappy"});
  response.body = SnappyBlock(read_response);
  return response;
}

// Generates the first part now, so that an early error can still set the status.
absl::StatusOr<Response> Chunks(SeriesWalk walk, const Permit& permit) {
  Response response;
  response.content_type = "application/x-streamed-protobuf; proto=prometheus.ChunkedReadResponse";
  auto body = std::make_unique<ChunkBody>(std::move(walk), permit.place);
  LOCKSTEP_ASSIGN_OR_RETURN(const bool has_more, body->Next(response.body));
  permit.progress.samples_read += body->samples_read();
  if (has_more) {
    // From here on only the client's pace limits it.
    permit.budget.LiftDeadline();
    response.rest = std::move(body);
  }
  return response;
}

absl::StatusOr<Response> Read(const Call& call, const Storage& storage, const Permit& permit) {
  std::string scratch;
  LOCKSTEP_ASSIGN_OR_RETURN(
      const std::string_view message,
      DecodeBody(BodyEncoding::kSnappy, call.request.body, kMaxRequestBytes, scratch));
  LOCKSTEP_ASSIGN_OR_RETURN(ReadRequest request, ParseReadRequest(message));
  LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<Querier> querier, storage.NewQuerier());
  const bool in_chunks = request.response_type == ReadResponseType::kStreamedChunks;
  SeriesWalk walk(std::move(request.queries), std::move(querier), permit.budget,
                  SeriesWalk::Repeats::kGiven);
  return in_chunks ? Chunks(std::move(walk), permit) : Samples(std::move(walk), permit);
}

}  // namespace

Response HandleRemoteRead(const Call& call, const Storage& storage, const Permit& permit) {
  absl::StatusOr<Response> response = Read(call, storage, permit);
  return response.ok() ? *std::move(response) : PlainFailureReply(response.status());
}

}  // namespace lockstep::api
