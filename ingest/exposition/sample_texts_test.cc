// Parses the output of real exporters.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "ingest/exposition/text_reader.h"
#include "tests/support/source_dir.h"

namespace lockstep::exposition {
namespace {

std::string ReadSampleText(const std::string& name) {
  std::ifstream file(SourcePath("ingest/exposition/testdata/" + name));
  EXPECT_TRUE(file) << name;
  std::ostringstream content;
  content << file.rdbuf();
  return std::move(content).str();
}

std::map<std::string, double> ReadSamples(const std::string& name) {
  const std::string text = ReadSampleText(name);
  TextReader reader(text, TextFormat::kPrometheus);
  TextEntry entry;
  SeriesLabels labels;
  std::map<std::string, double> samples;
  while (true) {
    const absl::StatusOr<bool> more = reader.Next(entry);
    EXPECT_TRUE(more.ok()) << name << ": " << Message(more.status());
    if (!more.ok() || !*more) return samples;
    if (entry.kind != EntryKind::kSample) continue;
    const absl::Status parsed = ParseSeries(entry.series, TextFormat::kPrometheus, labels);
    EXPECT_TRUE(parsed.ok()) << name << ": " << Message(parsed);
    samples[LabelSet::OfSorted(labels.labels).ToString()] = entry.value;
  }
}

TEST(SampleTextsTest, HaveAllTheirSeries) {
  EXPECT_EQ(ReadSamples("dcgm46_names.txt").size(), 96u);
  EXPECT_EQ(ReadSamples("dcgm_exporter_hostname_lower.txt").size(), 96u);
  EXPECT_EQ(ReadSamples("dcgm_exporter_hostname_upper.txt").size(), 96u);
  EXPECT_EQ(ReadSamples("vllm.txt").size(), 11u);
}

// The rank that waits least in a collective is the one that the others wait for.
TEST(SampleTextsTest, TheStragglerIsTheGpuWithTheShortestCollective) {
  const std::map<std::string, double> samples = ReadSamples("nccl_inspector.prom");
  EXPECT_EQ(samples.size(), 16u);
  std::string least;
  for (const auto& [series, value] : samples) {
    const bool is_time = series.starts_with("nccl_collective_exec_time_microseconds");
    if (is_time && (least.empty() || value < samples.at(least))) least = series;
  }
  EXPECT_NE(least.find("gpu=\"GPU3\""), std::string::npos) << least;
}

}  // namespace
}  // namespace lockstep::exposition
