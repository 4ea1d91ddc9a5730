#include "import/delivery/sample_sender.h"

#include <snappy.h>

#include <string>

#include "absl/strings/str_format.h"
#include "ingest/remote_write/remote_write_encoder.h"

namespace lockstep::importer {
namespace {

const std::vector<std::string>& WriteHeaders() {
  static const auto& headers = *new std::vector<std::string>{
      "Content-Type: application/x-protobuf", "Content-Encoding: snappy",
      "X-Prometheus-Remote-Write-Version: 0.1.0"};
  return headers;
}

}  // namespace

absl::Status SampleSender::Send(const WriteRequest& request,
                                const std::vector<MetadataEntry>& metadata,
                                std::string_view place) {
  if (!session_.is_dry_run && (!request.series.empty() || !metadata.empty())) {
    LOCKSTEP_RETURN_IF_ERROR(Deliver(EncodeRemoteWrite(request, metadata), place));
  }
  report_.counts.Add(request);
  session_.progress(report_);
  return absl::OkStatus();
}

absl::Status SampleSender::Deliver(std::string_view message, std::string_view place) {
  std::string body;
  snappy::Compress(message.data(), message.size(), &body);
  LOCKSTEP_ASSIGN_OR_RETURN(const Reply reply,
                            session_.delivery.Send({"/api/v1/write", WriteHeaders(), body}));
  report_.AddFates(ReadSampleFates(reply.samples));
  if (reply.status / 100 == 2) return absl::OkStatus();
  if (reply.status != 400) return absl::FailedPreconditionError(Describe(reply));
  // The server stores the valid part.
  ++report_.refused;
  session_.complain(report_, absl::StrFormat("%s: %s", place, Describe(reply)));
  return absl::OkStatus();
}

}  // namespace lockstep::importer
