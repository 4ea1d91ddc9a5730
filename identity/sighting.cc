#include "identity/sighting.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>

namespace lockstep::identity {
namespace {

constexpr std::string_view kHostLabels[] = {
    "Hostname", "hostname", "host", "host_name", "k8s_node_name", "node", "kubernetes_node"};
constexpr std::string_view kGpuLabels[] = {"gpu", "gpu_id", "gpu_index", "minor_number"};
constexpr std::string_view kUuidLabels[] = {"UUID", "uuid", "gpu_uuid", "hw_id"};
constexpr std::string_view kModelLabels[] = {"modelName", "gpu_model", "card_model", "hw_model",
                                             "model_name"};
constexpr std::string_view kJobLabels[] = {
    "hpc_job",
    "slurm_job_id",
    "slurmjobid",
    "SLURM_JOB_ID",
    "jobid",
    "job_id",
    "training_job",
    "job_name",
    "label_jobset_sigs_k8s_io_jobset_name",
    "label_training_kubeflow_org_job_name",
    "label_volcano_sh_job_name",
    "k8s_job_name",
};
constexpr std::string_view kRankLabels[] = {"rank",         "global_rank",  "RANK",
                                            "nv_dl_rank",   "SLURM_PROCID", "OMPI_COMM_WORLD_RANK",
                                            "exported_rank"};
constexpr std::string_view kAttemptLabels[] = {"attempt", "TORCHELASTIC_RESTART_COUNT",
                                               "restart_count"};
constexpr std::string_view kNodeRankLabels[] = {"node_rank", "GROUP_RANK", "SLURM_NODEID",
                                                "label_training_kubeflow_org_replica_index",
                                                "label_batch_kubernetes_io_job_completion_index"};
constexpr std::string_view kWorldSizeLabels[] = {"world_size", "nv_dl_world_size"};
constexpr std::string_view kPodLabels[] = {"exported_pod", "pod", "k8s_pod_name", "pod_name"};

// The limit for one job in a set, so that the pods of a set stay in order.
constexpr int64_t kMaxPodsOfJob = 1 << 20;

struct Found {
  std::string_view name;  // the label; empty: none
  std::string_view value;
};

Found FirstOf(const LabelSet& labels, std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    const std::string_view value = labels.Get(name);
    if (!value.empty()) return {name, value};
  }
  return {};
}

std::optional<int64_t> ToNumber(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole && !text.empty() && number >= 0 ? std::optional(number) : std::nullopt;
}

std::optional<int64_t> NumberOf(const LabelSet& labels, std::span<const std::string_view> names) {
  return ToNumber(FirstOf(labels, names).value);
}

// Cuts "-REST" off the end of `name`; returns REST, or nothing if there is no dash.
std::optional<std::string_view> TakeLastPart(std::string_view& name) {
  const size_t dash = name.rfind('-');
  if (dash == name.npos || dash == 0) return std::nullopt;
  const std::string_view part = name.substr(dash + 1);
  name.remove_suffix(part.size() + 1);
  return part;
}

// A suffix that Kubernetes generates to make names unique: five letters, without vowels and
// look-alikes.
bool IsRandomPart(std::string_view part) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  // A part that is only digits is a number.
  if (ToNumber(part).has_value()) return false;
  return part.size() == 5 && part.find_first_not_of(kLetters) == part.npos;
}

bool IsMaster(std::string_view role) {
  return role == "master" || role == "launcher" || role == "chief";
}

void TakePod(const LabelSet& labels, Sighting& sighting) {
  const Found pod = FirstOf(labels, kPodLabels);
  if (pod.name.empty()) return;
  const auto name = ReadPodName(pod.value);
  if (!name.has_value()) return;
  if (!sighting.node_rank.has_value()) sighting.node_rank = name->node_rank;
  if (!sighting.job.empty()) return;
  sighting.job = name->job;
  sighting.source = Source::kKubernetes;
  sighting.labels.job = pod.name;
  sighting.labels.job_value = pod.value;
}

void TakeJob(const LabelSet& labels, Sighting& sighting) {
  Found job = FirstOf(labels, kJobLabels);
  // Prometheus renames a target's own "job" if its scrape adds one.
  if (job.name.empty() && sighting.rank.has_value()) {
    job = FirstOf(labels, std::array<std::string_view, 2>{"exported_job", "job"});
  }
  // A node has several jobs at a time, and it is unknown which one this is.
  if (job.value.find(',') != job.value.npos) return;
  sighting.job = job.value;
  sighting.labels.job = job.name;
  sighting.labels.job_value = job.value;
}

}  // namespace

std::string_view Name(Source source) {
  switch (source) {
    case Source::kRegistered:
      return "registered";
    case Source::kLabels:
      return "labels";
    case Source::kKubernetes:
      return "kubernetes";
    case Source::kPresumed:
      break;
  }
  return "presumed";
}

std::span<const std::string_view> HostLabels() { return kHostLabels; }
std::span<const std::string_view> UuidLabels() { return kUuidLabels; }
std::span<const std::string_view> JobLabels() { return kJobLabels; }

// NAME-worker-2, NAME-master-0 (one master precedes the workers), NAME-2, JOB-3-x5b2k and, for a
// JobSet, SET-REPLICATED-0-3-x5b2k.
std::optional<PodName> ReadPodName(std::string_view name) {
  std::string_view job = name;
  auto part = TakeLastPart(job);
  const bool is_random = part.has_value() && IsRandomPart(*part);
  if (is_random) part = TakeLastPart(job);
  const auto index = part.has_value() ? ToNumber(*part) : std::nullopt;
  if (!index.has_value()) return std::nullopt;

  std::string_view before = job;
  const auto role = TakeLastPart(before);
  if (!role.has_value()) return PodName{job, *index};
  if (*role == "worker") return PodName{before, *index + 1};
  if (IsMaster(*role)) return PodName{before, *index};
  const auto replica = is_random ? ToNumber(*role) : std::nullopt;
  // The part between the set's name and the number is the name of the job that it repeats.
  if (!replica.has_value() || !TakeLastPart(before).has_value()) return PodName{job, *index};
  return PodName{before, *replica * kMaxPodsOfJob + *index};
}

Sighting SightingOf(const LabelSet& labels) {
  Sighting sighting;
  const Found host = FirstOf(labels, kHostLabels);
  const Found gpu = FirstOf(labels, kGpuLabels);
  const Found uuid = FirstOf(labels, kUuidLabels);
  sighting.seat = {std::string(host.value), std::string(gpu.value), std::string(uuid.value),
                   std::string(FirstOf(labels, kModelLabels).value)};
  sighting.labels = {
      .host = host.name, .gpu = gpu.name, .uuid = uuid.name, .job = {}, .job_value = {}};
  sighting.rank = NumberOf(labels, kRankLabels);
  sighting.attempt = NumberOf(labels, kAttemptLabels);
  sighting.node_rank = NumberOf(labels, kNodeRankLabels);
  sighting.world_size = NumberOf(labels, kWorldSizeLabels);
  for (size_t i = 0; i < kCoordinateNames.size(); ++i) {
    sighting.coordinates[i] = ToNumber(labels.Get(kCoordinateNames[i]));
  }
  TakeJob(labels, sighting);
  TakePod(labels, sighting);
  return sighting;
}

}  // namespace lockstep::identity
