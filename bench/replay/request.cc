#include "bench/replay/request.h"

#include <snappy.h>

#include <vector>

#include "ingest/remote_write/remote_write_encoder.h"

namespace lockstep::replay {
namespace {

// A series with its current labels.
struct Identity {
  size_t series = 0;
  uint32_t generation = 0;
  LabelSet labels;
};

std::vector<Identity> IdentitiesOf(const Fleet& fleet, const RequestOptions& options,
                                   uint32_t connection, size_t point) {
  std::vector<Identity> identities;
  for (size_t series = 0; series < fleet.series_count(); ++series) {
    if (fleet.host_of(series) % options.connection_count != connection) continue;
    const uint32_t generation = fleet.GenerationAt(series, point);
    identities.push_back({series, generation, fleet.Labels(series, generation)});
  }
  return identities;
}

}  // namespace

Request Encode(const WriteRequest& request) {
  Request encoded;
  for (const SeriesWrite& write : request.series) {
    encoded.sample_count += static_cast<uint32_t>(write.samples.size());
  }
  const std::string message = EncodeRemoteWrite(request);
  snappy::Compress(message.data(), message.size(), &encoded.body);
  return encoded;
}

uint64_t SeriesOfConnection(const Fleet& fleet, const RequestOptions& options,
                            uint32_t connection) {
  uint64_t count = 0;
  for (size_t series = 0; series < fleet.series_count(); ++series) {
    count += fleet.host_of(series) % options.connection_count == connection;
  }
  return count;
}

absl::Status MakeRequests(const Fleet& fleet, PointRange points, const RequestOptions& options,
                          uint32_t connection,
                          const std::function<absl::Status(const Request&)>& take) {
  std::vector<Identity> identities = IdentitiesOf(fleet, options, connection, points.begin);
  WriteRequest open;
  for (size_t point = points.begin; point < points.end; ++point) {
    for (Identity& identity : identities) {
      const uint32_t generation = fleet.GenerationAt(identity.series, point);
      if (generation != identity.generation) {
        identity.generation = generation;
        identity.labels = fleet.Labels(identity.series, generation);
      }
      open.series.push_back({identity.labels, {fleet.At(identity.series, point)}, {}});
      if (open.series.size() < options.samples_per_request) continue;
      if (absl::Status status = take(Encode(open)); !status.ok()) return status;
      open.series.clear();
    }
  }
  return open.series.empty() ? absl::OkStatus() : take(Encode(open));
}

}  // namespace lockstep::replay
