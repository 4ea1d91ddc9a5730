#include "api/remote_read_handler.h"

#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "api/query_stats_json.h"
#include "api/reply.h"
#include "export/read_request.h"
#include "export/read_response.h"
#include "ingest/body_encoding.h"

namespace lockstep::api {
namespace {

constexpr size_t kMaxRequestBytes = 32 << 20;

// One request's way through the store. What it holds is charged to the budget, whoever made it.
class RemoteRead {
 public:
  RemoteRead(const Storage& storage, engine::QueryProgress& progress, QueryBudget& budget)
      : storage_(storage), progress_(progress), budget_(budget) {}

  absl::StatusOr<Response> Answer(const ReadRequest& request) {
    LOCKSTEP_ASSIGN_OR_RETURN(querier_, storage_.NewQuerier());
    return request.response_type == ReadResponseType::kStreamedChunks ? Chunks(request)
                                                                      : Samples(request);
  }

 private:
  // Appends the current series to the answer.
  using Append = absl::FunctionRef<void(const LabelSet&, const SampleColumns&)>;

  absl::StatusOr<Response> Samples(const ReadRequest& request) {
    std::string read_response;
    for (const ReadQuery& query : request.queries) {
      std::string result;
      LOCKSTEP_RETURN_IF_ERROR(
          ForEachSeries(query, result, [&](const LabelSet& labels, const SampleColumns& samples) {
            AppendReadSeries(labels, samples, result);
          }));
      AppendQueryResult(result, read_response);
    }
    Response response;
    response.content_type = "application/x-protobuf";
    response.headers.push_back({"Content-Encoding", "snappy"});
    response.body = SnappyBlock(read_response);
    return response;
  }

  absl::StatusOr<Response> Chunks(const ReadRequest& request) {
    Response response;
    response.content_type = "application/x-streamed-protobuf; proto=prometheus.ChunkedReadResponse";
    for (size_t i = 0; i < request.queries.size(); ++i) {
      LOCKSTEP_RETURN_IF_ERROR(ForEachSeries(
          request.queries[i], response.body,
          [&](const LabelSet& labels, const SampleColumns& samples) {
            AppendSeriesFrames(labels, samples, static_cast<int64_t>(i), response.body);
          }));
    }
    return response;
  }

  absl::Status ForEachSeries(const ReadQuery& query, const std::string& out, Append append) {
    LOCKSTEP_ASSIGN_OR_RETURN(
        const auto series,
        querier_->Select({.matchers = query.matchers, .range = query.range, .budget = &budget_}));
    while (series->Next()) {
      LOCKSTEP_RETURN_IF_ERROR(budget_.Check());
      samples_.Clear();
      LOCKSTEP_RETURN_IF_ERROR(series->Read(samples_));
      if (samples_.size() == 0) continue;
      progress_.samples_read += static_cast<int64_t>(samples_.size());
      const size_t before = out.size();
      append(series->labels(), samples_);
      LOCKSTEP_RETURN_IF_ERROR(Charge(out.size() - before));
    }
    return series->status();
  }

  absl::Status Charge(size_t bytes) {
    return budget_.Charge(static_cast<int64_t>(bytes) / kBytesPerChargedSample + 1);
  }

  const Storage& storage_;
  engine::QueryProgress& progress_;
  QueryBudget& budget_;
  std::unique_ptr<Querier> querier_;
  SampleColumns samples_;
};

absl::StatusOr<Response> Read(const Call& call, const Storage& storage,
                              engine::QueryProgress& progress, QueryBudget& budget) {
  std::string scratch;
  LOCKSTEP_ASSIGN_OR_RETURN(
      const std::string_view message,
      DecodeBody(BodyEncoding::kSnappy, call.request.body, kMaxRequestBytes, scratch));
  LOCKSTEP_ASSIGN_OR_RETURN(const ReadRequest request, ParseReadRequest(message));
  return RemoteRead(storage, progress, budget).Answer(request);
}

}  // namespace

Response HandleRemoteRead(const Call& call, const Storage& storage, engine::QueryProgress& progress,
                          QueryBudget& budget) {
  absl::StatusOr<Response> response = Read(call, storage, progress, budget);
  return response.ok() ? *std::move(response) : PlainFailureReply(response.status());
}

}  // namespace lockstep::api
