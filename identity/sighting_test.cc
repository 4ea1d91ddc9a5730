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

TEST(Sighting, NumbersAreWholeAndNotNegative) {
  const auto rank = [](std::string_view text) {
    return NumberText(SightingOf(LabelSet::Of({{"rank", text}})).rank);
  };
  EXPECT_EQ(rank("0"), "0");
  EXPECT_EQ(rank("17"), "17");
  for (const char* text : {"-1", "+1", "1a", "a", "1.0", " 1", "99999999999999999999"}) {
    EXPECT_EQ(rank(text), "-") << text;
  }
}

TEST(Sighting, CoordinatesAndTheSizeOfTheWorld) {
  const Sighting s = SightingOf(LabelSet::Of({{"stage", "1"},
                                              {"tp", "2"},
                                              {"dp", "3"},
                                              {"ep", "4"},
                                              {"pp", "5"},
                                              {"cp", "x"},
                                              {"nv_dl_world_size", "8"},
                                              {"modelName", "H200"}}));
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(s.coordinates[i], static_cast<int64_t>(i + 1));
  EXPECT_FALSE(s.coordinates[5].has_value());
  EXPECT_EQ(s.world_size, 8);
  EXPECT_EQ(s.seat.model, "H200");
}

TEST(Sighting, KnowsTheLabelsThatItRead) {
  const Sighting s = SightingOf(
      LabelSet::Of({{"host", ""}, {"node", "n"}, {"gpu_id", "3"}, {"hw_id", "A"}, {"jobid", "7"}}));
  EXPECT_EQ(s.labels.host, "node");
  EXPECT_EQ(s.labels.gpu, "gpu_id");
  EXPECT_EQ(s.labels.uuid, "hw_id");
  EXPECT_EQ(s.labels.job, "jobid");
  EXPECT_EQ(s.labels.job_value, "7");
  const Sighting pod = SightingOf(LabelSet::Of({{"k8s_pod_name", "llm-worker-2"}}));
  EXPECT_EQ(pod.labels.job, "k8s_pod_name");
  EXPECT_EQ(pod.labels.job_value, "llm-worker-2");
}

TEST(Sighting, APodSaysOnlyWhatNothingElseSays) {
  EXPECT_EQ(Describe(LabelSet::Of({{"pod", "llm-worker-2"}, {"hpc_job", "7"}})),
            "7 r- a- // node 3");
  EXPECT_EQ(Describe(LabelSet::Of({{"pod", "llm-worker-2"}, {"node_rank", "5"}})),
            "llm r- a- // kubernetes node 5");
  EXPECT_EQ(Describe(LabelSet::Of({{"pod", "llm"}, {"job", "scrape"}})), "- r- a- //");
}

TEST(Sighting, AJobWithoutARankIsNone) {
  EXPECT_EQ(Describe(LabelSet::Of({{"exported_job", "j"}})), "- r- a- //");
  EXPECT_EQ(Describe(LabelSet::Of({{"job", "a,b"}, {"rank", "1"}})), "- r1 a- //");
}

TEST(Sighting, SourcesHaveNames) {
  EXPECT_EQ(Name(Source::kRegistered), "registered");
  EXPECT_EQ(Name(Source::kLabels), "labels");
  EXPECT_EQ(Name(Source::kKubernetes), "kubernetes");
  EXPECT_EQ(Name(Source::kPresumed), "presumed");
}

TEST(Sighting, MorePodNames) {
  const std::pair<const char*, const char*> cases[] = {
      {"llm-chief-0", "llm 0"},       {"llm-worker-x", "-"},
      {"worker-2", "worker 2"},       {"llm-3-x5b2", "-"},  // four letters are no suffix
      {"llm-3-x5b2kk", "-"},                                // nor are six
      {"llm-3-x5b2a", "-"},                                 // nor is one with a vowel
      {"llm-3-22222", "llm-3 22222"},                       // a number
      {"llm-0-3", "llm-0 3"},  // without a suffix, it is no set of jobs
      {"0-3-x5b2k", "0 3"},    // a set has a name
      {"a-0-3-x5b2k", "a-0 3"},       {"llm-", "-"},
  };
  for (const auto& [name, expected] : cases) {
    const auto pod = ReadPodName(name);
    EXPECT_EQ(pod.has_value() ? absl::StrFormat("%s %d", pod->job, pod->node_rank) : "-", expected)
        << name;
  }
}

}  // namespace
}  // namespace lockstep::identity
