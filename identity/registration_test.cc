#include "identity/registration.h"

#include <gtest/gtest.h>

#include "absl/strings/str_format.h"

namespace lockstep::identity {
namespace {

std::string Describe(const Registration& registration) {
  const auto series = SeriesOf(registration, 5000);
  if (!series.ok()) return std::string(series.status().message());
  std::string text;
  for (const InfoSeries& one : *series) {
    text += one.labels.ToString();
    for (const Sample& sample : one.samples) {
      text += absl::StrFormat(" %g@%d", sample.value, sample.timestamp_ms);
    }
    text += "\n";
  }
  return text;
}

TEST(Registration, BecomesSamplesOfInfoSeries) {
  Registration rank{.job = "j", .attempt = 1, .rank = 3};
  rank.seat = {"n1", "3", "GPU-a", "NVIDIA H200"};
  rank.coordinates[0] = 2;
  rank.coordinates[2] = 1;
  EXPECT_EQ(Describe(rank),
            "lockstep_rank_info{UUID=\"GPU-a\", attempt=\"1\", dp=\"1\", gpu=\"3\", "
            "gpu_model=\"NVIDIA H200\", host=\"n1\", job=\"j\", rank=\"3\", stage=\"2\"} 1@5000\n");
  rank = {.job = "j", .rank = 0, .from_ms = 1000, .to_ms = 2000};
  EXPECT_EQ(Describe(rank),
            "lockstep_rank_info{attempt=\"0\", job=\"j\", rank=\"0\"} 1@1000 0@2000\n");
  EXPECT_EQ(Describe({.job = "j",
                      .world_size = 8,
                      .model = {{"hidden.size", "4096"}},
                      .parallelism = {{"tp", "2"}}}),
            "lockstep_job_info{attempt=\"0\", job=\"j\", model_hidden_size=\"4096\", "
            "parallelism_tp=\"2\", world_size=\"8\"} 1@5000\n");
}

TEST(Registration, ProcessesThatAreThereAndThatEnd) {
  EXPECT_EQ(Describe({.job = "j", .attempt = 2, .rank = 3, .alive_ms = 4000}),
            "lockstep_rank_alive{attempt=\"2\", job=\"j\", rank=\"3\"} 1@4000\n");
  // For a rank, and for the job, without a time.
  EXPECT_EQ(Describe({.job = "j", .rank = 3, .to_ms = 4000, .exit_code = 1}),
            "lockstep_exit_code{attempt=\"0\", job=\"j\", rank=\"3\"} 1@4000\n");
  EXPECT_EQ(Describe({.job = "j", .exit_code = 0}),
            "lockstep_exit_code{attempt=\"0\", job=\"j\"} 0@5000\n");
  // A registration that says when it began also says where it ran.
  EXPECT_EQ(Describe({.job = "j", .rank = 3, .from_ms = 1000, .to_ms = 4000, .exit_code = 0}),
            "lockstep_exit_code{attempt=\"0\", job=\"j\", rank=\"3\"} 0@4000\n"
            "lockstep_rank_info{attempt=\"0\", job=\"j\", rank=\"3\"} 1@1000 0@4000\n");
  EXPECT_EQ(Describe({.job = "j", .rank = 3, .from_ms = 1000, .alive_ms = 1500}),
            "lockstep_rank_alive{attempt=\"0\", job=\"j\", rank=\"3\"} 1@1500\n"
            "lockstep_rank_info{attempt=\"0\", job=\"j\", rank=\"3\"} 1@1000\n");
}

TEST(Registration, ARankMayTellOfItsJobToo) {
  EXPECT_EQ(Describe({.job = "j", .rank = 7, .world_size = 8}),
            "lockstep_rank_info{attempt=\"0\", job=\"j\", rank=\"7\"} 1@5000\n"
            "lockstep_job_info{attempt=\"0\", job=\"j\", world_size=\"8\"} 1@5000\n");
  EXPECT_EQ(Describe({.job = "j", .model = {{"a-B.9_\xc3\xa4", "x"}}}),
            "lockstep_job_info{attempt=\"0\", job=\"j\", model_a_B_9___=\"x\"} 1@5000\n");
  EXPECT_EQ(Describe({.job = "j", .parallelism = {{"azAZ09", "x"}}, .from_ms = 1}),
            "lockstep_job_info{attempt=\"0\", job=\"j\", parallelism_azAZ09=\"x\"} 1@1\n");
}

TEST(Registration, EndsAfterItsBeginning) {
  EXPECT_EQ(Describe({.job = "j", .rank = 0, .from_ms = 2000, .to_ms = 2001}),
            "lockstep_rank_info{attempt=\"0\", job=\"j\", rank=\"0\"} 1@2000 0@2001\n");
  EXPECT_EQ(Describe({.job = "j", .rank = 0, .to_ms = 5000}),
            "\"to\" (5000 ms) is not after \"from\" (5000 ms)");
  // What tells of a process alone has no beginning.
  EXPECT_EQ(Describe({.job = "j", .rank = 0, .to_ms = 1, .exit_code = 0}),
            "lockstep_exit_code{attempt=\"0\", job=\"j\", rank=\"0\"} 0@1\n");
}

TEST(Registration, AnExitCodeHasTheTimeOfNow) {
  EXPECT_EQ(Describe({.job = "j", .rank = 1, .exit_code = 137, .alive_ms = 4000}),
            "lockstep_rank_alive{attempt=\"0\", job=\"j\", rank=\"1\"} 1@4000\n"
            "lockstep_exit_code{attempt=\"0\", job=\"j\", rank=\"1\"} 137@5000\n");
}

TEST(Registration, WhatDoesNotFitIsRefused) {
  EXPECT_EQ(Describe({}), "\"job\" is missing");
  EXPECT_EQ(Describe({.job = "j"}),
            "\"rank\" or a field of the job (\"world_size\", \"model\", \"parallelism\", "
            "\"exit_code\") is required");
  EXPECT_EQ(Describe({.job = "j", .world_size = 2, .alive_ms = 1000}),
            "\"alive\" requires \"rank\"");
  EXPECT_EQ(Describe({.job = "j", .rank = 8, .world_size = 8}),
            "rank 8 is too large for a world of 8 ranks");
  EXPECT_EQ(Describe({.job = "j", .rank = 0, .from_ms = 2000, .to_ms = 2000}),
            "\"to\" (2000 ms) is not after \"from\" (2000 ms)");
}

}  // namespace
}  // namespace lockstep::identity
