// Sighting: what the labels of one series say of who and what it is of.
//
// Labels of exporters, schedulers and containers are mined: dcgm-exporter's UUID, gpu and Hostname, its hpc_job
// and pod; Slurm's; those that Kubernetes' trainers and JobSets have; resource attributes of OpenTelemetry; and
// lockstep's own, of lockstep_rank_info and of what is pushed. Pure: any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/labels.h"

namespace lockstep::identity {

// Where a rank stands in the job's grid, as the launcher says; absent: not said.
inline constexpr std::array<std::string_view, 6> kCoordinateNames = {"stage", "tp", "dp",
                                                                     "ep",    "pp", "cp"};
using Coordinates = std::array<std::optional<int64_t>, kCoordinateNames.size()>;

// A GPU, as far as is known. Empty: not known.
struct Seat {
  std::string host;
  std::string gpu;  // index on its host, as labels say it
  std::string uuid;
  std::string model;

  bool operator==(const Seat&) const = default;
};

// How it is known who runs where, best first.
enum class Source : uint8_t {
  kRegistered,  // the launcher said so
  kLabels,      // series say job and rank
  kKubernetes,  // from names of pods
  kPresumed,    // ranks in order of host and GPU: Slurm's default
};
std::string_view Name(Source source);

// The labels that a Seat and a job were read from: what to match to find other series like it.
struct SeatLabels {
  std::string_view host;  // static storage; empty: none
  std::string_view gpu;
  std::string_view uuid;
  std::string_view job;
  std::string job_value;  // of the label `job`: the pod's name, where that told the job
};

struct Sighting {
  std::string job;  // of training; empty: the series names none
  std::optional<int64_t> attempt;
  std::optional<int64_t> rank;
  std::optional<int64_t> node_rank;  // of the job's nodes
  Seat seat;
  Coordinates coordinates;
  std::optional<int64_t> world_size;
  Source source = Source::kLabels;
  SeatLabels labels;
};

// The label "job" is a training job's only beside a rank, for scrapes have jobs too.
Sighting SightingOf(const LabelSet& labels);

// The names of labels that may say so, the best first.
std::span<const std::string_view> HostLabels();
std::span<const std::string_view> GpuLabels();
std::span<const std::string_view> UuidLabels();
std::span<const std::string_view> JobLabels();  // without "job", and without pods

// A pod's name as its controller makes it: job and number among the job's nodes.
struct PodName {
  std::string_view job;  // of `name`
  int64_t node_rank = 0;
};
std::optional<PodName> ReadPodName(std::string_view name);

}  // namespace lockstep::identity
