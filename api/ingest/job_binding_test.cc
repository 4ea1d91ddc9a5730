#include "api/ingest/job_binding.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace lockstep::api {
namespace {

LabelSet SeriesOfJob(std::string_view job) {
  return LabelSet::Of({{"__name__", "m"}, {"job", job}});
}

// What becomes of a message with a series and an exemplar of these jobs, and metadata.
absl::StatusOr<DecodedWrite> Decoded(const std::optional<Matcher>& jobs, std::string_view series,
                                     std::string_view exemplar) {
  const auto decode = [&](std::string_view, const IngestLimits&,
                          const Storage* storage) -> absl::StatusOr<DecodedWrite> {
    // Without the store, no series is known by its number only.
    EXPECT_EQ(storage, nullptr);
    DecodedWrite write;
    write.request.series.push_back({SeriesOfJob(series), {{1, 1}}, {}});
    write.exemplars.push_back({SeriesOfJob(exemplar), {}});
    write.metadata.emplace_back();
    return write;
  };
  return DecodeForJobs(jobs, decode, "", {}, nullptr);
}

TEST(JobBindingTest, EverythingBelongsToAJobOfTheCredential) {
  const std::optional<Matcher> mine = Matcher::Equal("job", "mine");
  const auto refusal = absl::PermissionDeniedError(
      "this credential may not write the job \"other\"; nothing was stored");
  EXPECT_TRUE(Decoded(mine, "mine", "mine").ok());
  EXPECT_EQ(Decoded(mine, "other", "mine").status(), refusal);
  EXPECT_EQ(Decoded(mine, "mine", "other").status(), refusal);
  EXPECT_TRUE(Decoded(std::nullopt, "other", "another").ok());
}

TEST(JobBindingTest, MetadataBelongToNoJob) {
  EXPECT_TRUE(Decoded(Matcher::Equal("job", "mine"), "mine", "mine")->metadata.empty());
  EXPECT_EQ(Decoded(std::nullopt, "mine", "mine")->metadata.size(), 1u);
}

}  // namespace
}  // namespace lockstep::api
