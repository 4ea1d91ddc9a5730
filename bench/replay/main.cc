// lockstep_replay: plays recorded device counters as a fleet of any size.
//
//   lockstep_replay encode --recording FILE --gpus N --points N --start-ms T --out DIR
//   lockstep_replay send --url URL FILE
//   lockstep_replay play --url URL --recording FILE --gpus N --points N --start-ms T
//   lockstep_replay history --url URL --series N --points N --start-ms T
//
// `encode` writes DIR/slice-0 ... in order of time; `send` posts one of them; `play` creates the
// requests while posting them; `history` posts a made-up history. Each prints a report as one line
// of JSON.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "bench/replay/fleet.h"
#include "bench/replay/history.h"
#include "bench/replay/recording.h"
#include "bench/replay/request_file.h"
#include "bench/replay/sender.h"

namespace lockstep::replay {
namespace {

struct FleetArguments {
  std::string recording;
  FleetOptions fleet;
  size_t point_count = 0;
  RequestOptions requests;
};

struct EncodeArguments {
  FleetArguments fleet;
  std::string folder;
  size_t first_point = 0;
  size_t slice_count = 1;
};

absl::StatusOr<Fleet> MakeFleet(const FleetArguments& arguments) {
  absl::StatusOr<std::vector<RecordedGpu>> recording = ReadRecording(arguments.recording);
  if (!recording.ok()) return recording.status();
  Fleet fleet(*std::move(recording), arguments.fleet);
  if (arguments.point_count > fleet.unique_point_count()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%d points were asked for; the recordings have %d, and a series must not repeat itself",
        arguments.point_count, fleet.unique_point_count()));
  }
  return fleet;
}

absl::Status Encode(const EncodeArguments& arguments) {
  const absl::StatusOr<Fleet> fleet = MakeFleet(arguments.fleet);
  if (!fleet.ok()) return fleet.status();
  const size_t end_point = arguments.fleet.point_count;
  if (arguments.first_point >= end_point) {
    return absl::InvalidArgumentError(absl::StrFormat("the first point, %d, is after the last, %d",
                                                      arguments.first_point, end_point - 1));
  }
  const size_t point_count = end_point - arguments.first_point;
  for (size_t slice = 0; slice < arguments.slice_count; ++slice) {
    const PointRange points{
        arguments.first_point + point_count * slice / arguments.slice_count,
        arguments.first_point + point_count * (slice + 1) / arguments.slice_count};
    const absl::Status status =
        EncodeRequests(*fleet, points, arguments.fleet.requests,
                       absl::StrFormat("%s/slice-%d", arguments.folder, slice));
    if (!status.ok()) return status;
  }
  absl::PrintF("{\"series\": %d, \"total_series\": %d, \"samples\": %d}\n", fleet->series_count(),
               fleet->TotalSeriesCount(end_point), fleet->series_count() * point_count);
  return absl::OkStatus();
}

absl::Status Print(const absl::StatusOr<SendReport>& report) {
  if (!report.ok()) return report.status();
  absl::PrintF("{\"requests\": %d, \"samples\": %d, \"retries\": %d, \"seconds\": %.3f}\n",
               report->request_count, report->sample_count, report->retry_count, report->seconds);
  return absl::OkStatus();
}

absl::Status SendFile(const SendOptions& options, const std::string& path) {
  const absl::StatusOr<std::vector<std::vector<Request>>> requests = ReadRequests(path);
  if (!requests.ok()) return requests.status();
  return Print(Send(options, *requests));
}

absl::Status PlayFleet(const SendOptions& options, const FleetArguments& arguments) {
  const absl::StatusOr<Fleet> fleet = MakeFleet(arguments);
  if (!fleet.ok()) return fleet.status();
  return Print(Play(options, *fleet, {0, arguments.point_count}, arguments.requests));
}

void AddRequestOptions(CLI::App& verb, RequestOptions& requests) {
  verb.add_option("--samples-per-request", requests.samples_per_request)
      ->check(CLI::Range(1, 100'000));
  verb.add_option("--connections", requests.connection_count,
                  "number of connections, which share the hosts, or the series of a history")
      ->check(CLI::Range(1, 16));
}

void AddFleetOptions(CLI::App& verb, FleetArguments& arguments) {
  verb.add_option("--recording", arguments.recording)->required();
  verb.add_option("--gpus", arguments.fleet.gpu_count)->required();
  verb.add_option("--points", arguments.point_count)->required();
  verb.add_option("--start-ms", arguments.fleet.start_ms)->required();
  verb.add_option("--interval-ms", arguments.fleet.interval_ms, "time between two points (15,000)")
      ->check(CLI::PositiveNumber);
  verb.add_option("--churn-every", arguments.fleet.churn_every,
                  "points after which another eighth of the hosts gets new series (0: never)");
  AddRequestOptions(verb, arguments.requests);
}

void AddHistoryOptions(CLI::App& verb, HistoryOptions& history) {
  verb.add_option("--series", history.series_count)->required();
  verb.add_option("--points", history.point_count)->required();
  verb.add_option("--start-ms", history.start_ms)->required();
  verb.add_option("--interval-ms", history.interval_ms, "time between two points (60,000)")
      ->check(CLI::PositiveNumber);
  verb.add_flag("--by-series", history.is_by_series, "one series after the other");
}

void AddSendOptions(CLI::App& verb, SendOptions& options) {
  verb.add_option("--url", options.url)->required();
  verb.add_option("--rate", options.pace.samples_per_s,
                  "samples per second (0: as fast as accepted)")
      ->check(CLI::NonNegativeNumber);
}

int Main(int argc, char** argv) {
  CLI::App app("plays recorded device counters as a fleet of any size");
  app.require_subcommand(1);

  EncodeArguments encode_arguments;
  CLI::App* encode = app.add_subcommand("encode", "write the requests of a fleet to files");
  AddFleetOptions(*encode, encode_arguments.fleet);
  encode->add_option("--first-point", encode_arguments.first_point,
                     "first point to send; earlier ones are skipped");
  encode->add_option("--slices", encode_arguments.slice_count)->check(CLI::PositiveNumber);
  encode->add_option("--out", encode_arguments.folder)->required();

  SendOptions send_options;
  std::string path;
  CLI::App* send = app.add_subcommand("send", "post a file of requests");
  AddSendOptions(*send, send_options);
  send->add_option("file", path)->required();

  FleetArguments play_arguments;
  CLI::App* play = app.add_subcommand("play", "create the requests of a fleet and post them");
  AddFleetOptions(*play, play_arguments);
  AddSendOptions(*play, send_options);

  HistoryOptions history_options;
  RequestOptions history_requests;
  CLI::App* history = app.add_subcommand("history", "make up a history and post it");
  AddHistoryOptions(*history, history_options);
  AddRequestOptions(*history, history_requests);
  AddSendOptions(*history, send_options);

  CLI11_PARSE(app, argc, argv);
  absl::Status status;
  if (*encode) status = Encode(encode_arguments);
  if (*send) status = SendFile(send_options, path);
  if (*play) status = PlayFleet(send_options, play_arguments);
  if (*history) status = Print(Play(send_options, history_options, history_requests));
  if (!status.ok()) {
    absl::FPrintF(stderr, "lockstep_replay: %s\n", std::string(status.message()));
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace lockstep::replay

int main(int argc, char** argv) { return lockstep::replay::Main(argc, argv); }
