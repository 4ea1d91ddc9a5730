#include "bench/replay/request_file.h"

#include <snappy.h>

#include <array>
#include <fstream>
#include <utility>

#include "absl/strings/str_format.h"
#include "ingest/remote_write_encoder.h"

namespace lockstep::replay {
namespace {

using Head = std::array<uint32_t, 3>;  // connection, sample count, body size

void WriteOne(uint32_t connection, const WriteRequest& request, std::ofstream& file) {
  const std::string message = EncodeRemoteWrite(request);
  std::string body;
  snappy::Compress(message.data(), message.size(), &body);
  const Head head = {connection, static_cast<uint32_t>(request.series.size()),
                     static_cast<uint32_t>(body.size())};
  file.write(reinterpret_cast<const char*>(head.data()), sizeof(head));
  file.write(body.data(), static_cast<std::streamsize>(body.size()));
}

}  // namespace

absl::Status EncodeRequests(const Fleet& fleet, size_t first_point, size_t end_point,
                            const EncodeOptions& options, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  std::vector<WriteRequest> open(options.connection_count);
  for (size_t point = first_point; point < end_point; ++point) {
    for (size_t series = 0; series < fleet.series_count(); ++series) {
      const size_t connection = fleet.host_of(series) % options.connection_count;
      WriteRequest& request = open[connection];
      request.series.push_back({fleet.labels(series), {fleet.At(series, point)}, {}});
      if (request.series.size() == options.samples_per_request) {
        WriteOne(static_cast<uint32_t>(connection), request, file);
        request.series.clear();
      }
    }
  }
  for (uint32_t connection = 0; connection < options.connection_count; ++connection) {
    if (!open[connection].series.empty()) WriteOne(connection, open[connection], file);
  }
  file.close();
  if (!file) return absl::DataLossError(absl::StrFormat("cannot write %s", path));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::vector<Request>>> ReadRequests(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::vector<Request>> connections;
  Head head{};
  while (file.read(reinterpret_cast<char*>(head.data()), sizeof(head))) {
    const auto [connection, sample_count, body_size] = head;
    Request request{sample_count, std::string(body_size, '\0')};
    if (!file.read(request.body.data(), body_size)) break;
    if (connections.size() <= connection) connections.resize(connection + 1);
    connections[connection].push_back(std::move(request));
  }
  if (connections.empty() || file.gcount() != 0) {
    return absl::DataLossError(absl::StrFormat("%s does not end with a whole request", path));
  }
  return connections;
}

}  // namespace lockstep::replay
