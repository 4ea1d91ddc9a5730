// lockstep_replay: plays recorded device counters as a fleet of any size.
//
//   lockstep_replay encode --recording FILE --gpus N --points N --slices N --start-ms T --out DIR
//   lockstep_replay send --url URL FILE
//
// `encode` writes DIR/slice-0 ... in order of time; `send` posts one of them and prints what it did
// as one line of JSON.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "bench/replay/fleet.h"
#include "bench/replay/recording.h"
#include "bench/replay/request_file.h"
#include "bench/replay/sender.h"

namespace lockstep::replay {
namespace {

struct EncodeArguments {
  std::string recording;
  std::string folder;
  FleetOptions fleet;
  size_t point_count = 240;
  size_t slice_count = 1;
};

absl::Status Encode(const EncodeArguments& arguments) {
  absl::StatusOr<std::vector<RecordedGpu>> recording = ReadRecording(arguments.recording);
  if (!recording.ok()) return recording.status();
  const size_t recorded_points = recording->front().metrics.front().values.size();
  if (arguments.point_count > recorded_points) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%d points were asked for, the recording has %d and must not repeat",
                        arguments.point_count, recorded_points));
  }
  const Fleet fleet(*std::move(recording), arguments.fleet);
  for (size_t slice = 0; slice < arguments.slice_count; ++slice) {
    const absl::Status status =
        EncodeRequests(fleet, arguments.point_count * slice / arguments.slice_count,
                       arguments.point_count * (slice + 1) / arguments.slice_count, EncodeOptions{},
                       absl::StrFormat("%s/slice-%d", arguments.folder, slice));
    if (!status.ok()) return status;
  }
  absl::PrintF("{\"series\": %d, \"samples\": %d}\n", fleet.series_count(),
               fleet.series_count() * arguments.point_count);
  return absl::OkStatus();
}

absl::Status SendFile(const std::string& url, const std::string& path) {
  const absl::StatusOr<std::vector<std::vector<Request>>> requests = ReadRequests(path);
  if (!requests.ok()) return requests.status();
  const absl::StatusOr<SendReport> report = Send(url, *requests);
  if (!report.ok()) return report.status();
  absl::PrintF("{\"requests\": %d, \"samples\": %d, \"retries\": %d, \"seconds\": %.3f}\n",
               report->request_count, report->sample_count, report->retry_count, report->seconds);
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  CLI::App app("plays recorded device counters as a fleet of any size");
  app.require_subcommand(1);

  EncodeArguments encode_arguments;
  CLI::App* encode = app.add_subcommand("encode", "write the requests of a fleet to files");
  encode->add_option("--recording", encode_arguments.recording)->required();
  encode->add_option("--gpus", encode_arguments.fleet.gpu_count)->required();
  encode->add_option("--points", encode_arguments.point_count)->required();
  encode->add_option("--slices", encode_arguments.slice_count);
  encode->add_option("--start-ms", encode_arguments.fleet.start_ms)->required();
  encode->add_option("--out", encode_arguments.folder)->required();

  std::string url;
  std::string path;
  CLI::App* send = app.add_subcommand("send", "post a file of requests");
  send->add_option("--url", url)->required();
  send->add_option("file", path)->required();

  CLI11_PARSE(app, argc, argv);
  const absl::Status status = *encode ? Encode(encode_arguments) : SendFile(url, path);
  if (!status.ok()) {
    absl::FPrintF(stderr, "lockstep_replay: %s\n", std::string(status.message()));
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace lockstep::replay

int main(int argc, char** argv) { return lockstep::replay::Main(argc, argv); }
