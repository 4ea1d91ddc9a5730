#include "identity/sighting.h"

#include <gtest/gtest.h>

#include "absl/strings/str_format.h"

namespace lockstep::identity {
namespace {

std::string NumberText(std::optional<int64_t> number) {
  return number.has_value() ? std::to_string(*number) : "-";
}

// "job rank attempt host/gpu/uuid", and where the job was read from, unless from labels.
std::string Describe(const LabelSet& labels) {
  const Sighting s = SightingOf(labels);
  std::string text =
      absl::StrFormat("%s r%s a%s %s/%s/%s", s.job.empty() ? "-" : s.job, NumberText(s.rank),
                      NumberText(s.attempt), s.seat.host, s.seat.gpu, s.seat.uuid);
  if (s.source != Source::kLabels) text += absl::StrFormat(" %s", Name(s.source));
  if (s.node_rank.has_value()) text += absl::StrFormat(" node %d", *s.node_rank);
  return text;
}

TEST(Sighting, LabelsOfExportersAndSchedulers) {
  const std::pair<LabelSet, const char*> cases[] = {
      // dcgm-exporter, before and after it wrote "hostname".
      {LabelSet::Of({{"job", "dcgm"}, {"gpu", "3"}, {"UUID", "GPU-a"}, {"Hostname", "n1"}}),
       "- r- a- n1/3/GPU-a"},
      {LabelSet::Of({{"gpu", "3"}, {"UUID", "GPU-a"}, {"hostname", "n1"}, {"hpc_job", "4242"}}),
       "4242 r- a- n1/3/GPU-a"},
      {LabelSet::Of({{"gpu", "3"}, {"UUID", "GPU-a"}, {"hpc_job", "4242,4243"}}),
       "- r- a- /3/GPU-a"},
      // Device series that a recorder labels while a job runs.
      {LabelSet::Of({{"job", "j"}, {"rank", "2"}, {"gpu", "2"}, {"Hostname", "n1"}}),
       "j r2 a- n1/2/"},
      {LabelSet::Of({{"job", "scrape"}, {"exported_job", "j"}, {"rank", "2"}}), "j r2 a- //"},
      // Pushed steps.
      {LabelSet::Of({{"job", "j"}, {"rank", "0"}, {"attempt", "1"}, {"node", "n2"}}),
       "j r0 a1 n2//"},
      // Slurm.
      {LabelSet::Of({{"slurmjobid", "7"}, {"gpu", "0"}, {"user", "u"}}), "7 r- a- /0/"},
      {LabelSet::Of({{"slurm_job_id", "7"}, {"SLURM_PROCID", "5"}}), "7 r5 a- //"},
      // Kubernetes.
      {LabelSet::Of({{"pod", "llm-worker-2"}, {"gpu", "1"}, {"UUID", "GPU-b"}}),
       "llm r- a- /1/GPU-b kubernetes node 3"},
      {LabelSet::Of({{"pod", "dcgm-exporter-x5b2k"}, {"gpu", "1"}}), "- r- a- /1/"},
      // OpenTelemetry's resource attributes.
      {LabelSet::Of({{"job", "llm"}, {"nv_dl_rank", "6"}, {"host_name", "n3"}, {"hw_id", "GPU-c"}}),
       "llm r6 a- n3//GPU-c"},
      {LabelSet::Of({{"job", "j"}, {"rank", "-1"}}), "- r- a- //"},
  };
  for (const auto& [labels, expected] : cases) {
    EXPECT_EQ(Describe(labels), expected) << labels.ToString();
  }
}

TEST(Sighting, NamesOfPods) {
  const std::pair<const char*, const char*> cases[] = {
      {"llm-master-0", "llm 0"},
      {"llm-worker-0", "llm 1"},
      {"llm-launcher-0", "llm 0"},
      {"llm-3", "llm 3"},
      {"llm-3-x5b2k", "llm 3"},
      {"llm-workers-0-7-x5b2k", "llm 7"},
      {"llm-workers-1-0-x5b2k", "llm 1048576"},
      {"my-llm-task-4", "my-llm-task 4"},
      {"dcgm-exporter-x5b2k", "-"},
      {"llm", "-"},
      {"-3", "-"},
      {"", "-"},
  };
  for (const auto& [name, expected] : cases) {
    const auto pod = ReadPodName(name);
    EXPECT_EQ(pod.has_value() ? absl::StrFormat("%s %d", pod->job, pod->node_rank) : "-", expected)
        << name;
  }
}

}  // namespace
}  // namespace lockstep::identity
