#include "bench/replay/request_file.h"

#include <array>
#include <fstream>
#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::replay {
namespace {

using Head = std::array<uint32_t, 3>;  // connection, sample count, body size

}  // namespace

absl::Status EncodeRequests(const Fleet& fleet, PointRange points, const RequestOptions& options,
                            const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  for (uint32_t connection = 0; connection < options.connection_count; ++connection) {
    const absl::Status status =
        MakeRequests(fleet, points, options, connection, [&](const Request& request) {
          const Head head = {connection, request.sample_count,
                             static_cast<uint32_t>(request.body.size())};
          file.write(reinterpret_cast<const char*>(head.data()), sizeof(head));
          file.write(request.body.data(), static_cast<std::streamsize>(request.body.size()));
          return file ? absl::OkStatus()
                      : absl::DataLossError(absl::StrFormat("cannot write %s", path));
        });
    if (!status.ok()) return status;
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
