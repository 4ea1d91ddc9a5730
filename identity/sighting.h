// Sighting: what the labels of one series say about its job, rank and GPU.
//
// It uses labels of exporters, schedulers and containers: dcgm-exporter's UUID, gpu and Hostname,
// its hpc_job and pod; Slurm's; those of Kubernetes' trainers and JobSets; resource attributes of
// OpenTelemetry; and lockstep's own, of lockstep_rank_info and of pushed series. Pure; safe from
// any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/labels.h"

namespace lockstep::identity {

// A rank's position in the job's grid, as the launcher reports it; absent: not reported.
inline constexpr std::array<std::string_view, 6> kCoordinateNames = {"stage", "tp", "dp",
                                                                     "ep",    "pp", "cp"};
using Coordinates = std::array<std::optional<int64_t>, kCoordinateNames.size()>;

// A GPU, as far as it is known. Empty: unknown.
struct Seat {
  std::string host;
  std::string gpu;  // index on its host, as labels have it
  std::string uuid;
  std::string model;

  bool operator==(const Seat&) const = default;
};

// How the placement is known, best first.
enum class Source : uint8_t {
  kRegistered,  // the launcher reported it
  kLabels,      // series name job and rank
  kKubernetes,  // from names of pods
  kPresumed,    // ranks in order of host and GPU: Slurm's default
};
std::string_view Name(Source source);

// The labels from which a Seat and a job were read: match them to find other series like it.
struct SeatLabels {
  std::string_view host;  // static storage; empty: none
  std::string_view gpu;
  std::string_view uuid;
  std::string_view job;
  std::string job_value;  // value of the label `job`: the pod's name, if that named the job
};

struct Sighting {
  std::string job;  // training job; empty: the series names none
  std::optional<int64_t> attempt;
  std::optional<int64_t> rank;
  std::optional<int64_t> node_rank;  // among the job's nodes
  Seat seat;
  Coordinates coordinates;
  std::optional<int64_t> world_size;
  Source source = Source::kLabels;
  SeatLabels labels;
};

// The label "job" only names a training job if there is a rank, because scrapes have jobs too.
Sighting SightingOf(const LabelSet& labels);

// The names of labels that may have the host, best first.
std::span<const std::string_view> HostLabels();
std::span<const std::string_view> UuidLabels();
std::span<const std::string_view> JobLabels();  // without "job", and without pods

// A pod's name as its controller makes it: the job, and the number among the job's nodes.
struct PodName {
  std::string_view job;  // part of `name`
  int64_t node_rank = 0;
};
std::optional<PodName> ReadPodName(std::string_view name);

}  // namespace lockstep::identity
