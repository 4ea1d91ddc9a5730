#include "answers/report.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/memory_storage.h"

namespace lockstep::answers {
namespace {

using EditFindings = std::function<void(JobFindings&)>;

JobFindings SomeFindings() {
  JobFindings findings;
  findings.subject = {
      .job = {.name = "j", .ranks = {{.rank = 4}, {.rank = 5}, {.rank = 6}, {.rank = 7}}},
      .time = {1000, 91'000}};
  findings.step_count = 1;
  findings.summary.job = {.name = "j", .ranks = {{.rank = 4, .host = "n1"}}};
  return findings;
}

// The sentences of a section and the rows of its table, one a line, cells with bars.
void CheckSection(const std::string& title, const std::string& expected,
                  const EditFindings& edit = nullptr) {
  JobFindings findings = SomeFindings();
  if (edit) edit(findings);
  std::vector<std::string> lines;
  for (const ReportSection& section : ReportOf(findings)) {
    if (section.title != title) continue;
    lines = section.sentences;
    for (const auto& row : section.table) lines.push_back(absl::StrJoin(row, "|"));
  }
  EXPECT_EQ(absl::StrJoin(lines, "\n"), expected);
}

TEST(Report, Job) {
  CheckSection("Job", "j: 1 rank, 1 host, 1 step in 90 s, unknown.");
  CheckSection(
      "Job",
      "j: 2 ranks on NVIDIA H100, 2 hosts, 3 steps in 90 s, stalled.\n"
      "Verdict: slow_rank. Rank 5 is slow.\nIt started 2 times.\nWarning: odd.\nWarning: old.",
      [](JobFindings& findings) {
        ListedJob& job = findings.summary;
        job.job.ranks.push_back({.rank = 5, .host = "n2"});
        job.gpu_models = {"NVIDIA H100", ""};
        job.condition.state = training::JobState::kStalled;
        job.verdict = training::JobVerdictAnswer{.verdict = training::JobVerdict::kSlowRank,
                                                 .sentence = "Rank 5 is slow."};
        job.attempts.resize(2);
        job.warnings = {"odd", "old"};
        findings.step_count = 3;
      });
  CheckSection("Job", "j: 3 ranks, 1 host, 0 steps in 90 s, unknown.", [](JobFindings& findings) {
    findings.summary.job.ranks = {{.rank = 0, .host = "n1"}, {.rank = 1, .host = "n1"}, {}};
    findings.summary.gpu_models = {"", "NVIDIA H100", ""};
    findings.summary.attempts.resize(1);
    findings.step_count = 0;
  });
  CheckSection("Job", "j: 1 rank, 1 step in 90 s, unknown.",
               [](JobFindings& findings) { findings.summary.job.ranks = {{.rank = 4}}; });
}

TEST(Report, Durations) {
  for (const auto& [seconds, words] :
       std::vector<std::pair<int64_t, std::string>>{{1, "1 s"},
                                                    {119, "119 s"},
                                                    {120, "2.0 min"},
                                                    {150, "2.5 min"},
                                                    {7194, "119.9 min"},
                                                    {7200, "2.0 h"},
                                                    {9000, "2.5 h"}}) {
    CheckSection("Job", "j: 1 rank, 1 host, 1 step in " + words + ", unknown.",
                 [&](JobFindings& findings) {
                   findings.subject.time.max_ms = findings.subject.time.min_ms + 1000 * seconds;
                 });
  }
}

TEST(Report, SlowRanks) {
  const auto slow = [](JobFindings& findings) {
    training::StragglerAnswer& answer = findings.stragglers.answer;
    answer.method = training::StragglerMethod::kOwnTime;
    answer.verdict = training::StragglerVerdict::kSlowRank;
    answer.ranks = {{.row = 1, .score = 0.25, .episodes = {{}}}};
  };
  const auto check = [&](const std::string& expected, const EditFindings& edit) {
    CheckSection("Stragglers", expected, [&](JobFindings& findings) {
      slow(findings);
      edit(findings);
    });
  };
  const std::string end =
      "\nSteps take an unknown amount now and would take an unknown amount without stragglers: "
      "a loss of 0 s of GPU time.\nMethod: own_time.";
  const auto with = [&](const std::string& place, const std::string& rest) {
    return place + " is late by 25.0 % of a step" + rest + end;
  };
  const std::string unknown = ": the cause is unknown. It cost the job an unknown amount.";
  check(with("Rank 5", unknown), [](JobFindings&) {});
  check(with("Rank 5 (n1)", unknown),
        [](JobFindings& findings) { findings.subject.job.ranks[1].host = "n1"; });
  check(with("Rank 5 (GPU 3)", unknown),
        [](JobFindings& findings) { findings.subject.job.ranks[1].gpu = "3"; });
  check(with("Rank 5 (n1, GPU 3)", " from step 12 on: its network is slow. It cost the job 8 s."),
        [](JobFindings& findings) {
          findings.subject.job.ranks[1].host = "n1";
          findings.subject.job.ranks[1].gpu = "3";
          auto& finding = findings.stragglers.answer.ranks[0];
          finding.episodes[0].first_step = 12;
          finding.cause = training::StragglerCause::kNetwork;
          finding.lost_seconds = 8;
        });
  check(
      "Rank 5 is late by unknown of a step" + unknown +
          "\nSteps take 2 s now and would take 1.5 s without stragglers: a loss of 2.0 min of GPU "
          "time.\nMethod: own_time.",
      [](JobFindings& findings) {
        training::StragglerAnswer& answer = findings.stragglers.answer;
        answer.ranks[0].score = training::kUnknown;
        answer.what_if.step_seconds_now = 2;
        answer.what_if.step_seconds_without = 1.5;
        answer.lost_gpu_seconds = 120;
      });
  using Cause = training::StragglerCause;
  for (const auto& [cause, words] : std::vector<std::pair<Cause, std::string>>{
           {Cause::kLoader, "it waits for its input"},
           {Cause::kHostToDevice, "copies from its host are slow"},
           {Cause::kNode, "all GPUs of its host are late"},
           {Cause::kGpu, "its GPU is slow"},
           {Cause::kOther, "the cause is unknown"}}) {
    check(with("Rank 5", ": " + words + ". It cost the job an unknown amount."),
          [&](JobFindings& findings) { findings.stragglers.answer.ranks[0].cause = cause; });
  }
  check(with("Rank 5",
             ": its GPU does more work than the others. It cost the job an unknown amount."),
        [](JobFindings& findings) {
          findings.stragglers.answer.ranks[0].cause = training::StragglerCause::kGpu;
          findings.stragglers.answer.ranks[0].gpu_reason = training::GpuReason::kMoreWork;
        });
}

TEST(Report, OtherVerdictsAboutStragglers) {
  using Verdict = training::StragglerVerdict;
  for (const auto& [verdict, words] : std::vector<std::pair<Verdict, std::string>>{
           {Verdict::kUnevenWork,
            "Work is uneven: a different rank is slowest each time, so no machine is to blame."},
           {Verdict::kStageImbalance, "One pipeline stage has more work than the others."},
           {Verdict::kJobSlowAll, "Steps became slower, and no rank stands out."},
           {Verdict::kNone, "No rank holds the job back."},
           {Verdict::kUndersampled, "Samples are too far apart to see stragglers."},
           {Verdict::kNoData, "There is too little data to find stragglers."}}) {
    CheckSection("Stragglers", words + "\nMethod: step_time.",
                 [&](JobFindings& findings) { findings.stragglers.answer.verdict = verdict; });
  }
}

TEST(Report, Bottlenecks) {
  using training::BottleneckClass;
  const auto first = [](BottleneckClass one) {
    return absl::StrCat("The job is ", std::string(Name(one)), ". ", std::string(Advice(one)));
  };
  CheckSection("Bottlenecks", first(BottleneckClass::kUnknown));
  CheckSection(
      "Bottlenecks",
      first(BottleneckClass::kIdle) +
          "\nrank|gpu|class|share|flags\n5|3|memory_bound|75.0 %|hot, unhealthy\n"
          "4||idle|0.0 %|",
      [](JobFindings& findings) {
        findings.bottlenecks.answer.verdict = BottleneckClass::kIdle;
        findings.subject.job.ranks[1].gpu = "3";
        training::GpuBottleneck gpu;
        gpu.bottleneck = BottleneckClass::kIdle;
        findings.bottlenecks.answer.gpus = {gpu, gpu};
        training::GpuBottleneck& busy = findings.bottlenecks.answer.gpus[0];
        busy.row = 1;
        busy.bottleneck = BottleneckClass::kMemoryBound;
        busy.share[static_cast<size_t>(BottleneckClass::kMemoryBound)] = 0.75;
        busy.flags = {training::BottleneckFlag::kHot, training::BottleneckFlag::kUnhealthy};
      });
  // Only so many fit.
  JobFindings many = SomeFindings();
  many.bottlenecks.answer.gpus.resize(32);
  EXPECT_EQ(ReportOf(many)[2].table.size(), 33u);
  many.bottlenecks.answer.gpus.resize(33);
  EXPECT_EQ(ReportOf(many)[2].table.size(), 33u);
}

TEST(Report, Efficiency) {
  CheckSection("Efficiency", "MFU is unknown: the operations per step are not reported.");
  CheckSection("Efficiency", "MFU is unknown: no model.",
               [](JobFindings& findings) { findings.efficiency.answer.reason = "no model"; });
  CheckSection(
      "Efficiency",
      "MFU is 41.5 % (operations: palm; dense peak of h100).\n"
      "Each GPU does 410.5 TFLOP/s; a step takes 2.5 s.\n1000 tokens/s, 50000 tokens so far.",
      [](JobFindings& findings) {
        training::EfficiencyAnswer& answer = findings.efficiency.answer;
        answer.mfu = 0.415;
        answer.convention = training::FlopsConvention::kPalm;
        answer.gpu_model = "h100";
        answer.tflops_per_gpu = 410.5;
        answer.step_seconds = 2.5;
        answer.tokens_per_second = 1000;
        answer.consumed_tokens = 50'000;
      });
}

TEST(Report, Ledger) {
  CheckSection("Ledger", "GPU time: 0 s in total; goodput: unknown.\nbin|GPU time|share");
  const EditFindings edit = [](JobFindings& findings) {
    training::Ledger& ledger = findings.ledger.ledger;
    ledger.wall_seconds = 50;
    ledger.gpu_count = 2;
    ledger[training::LedgerBin::kProductive] = 75;
    ledger[training::LedgerBin::kRecovery] = 25;
  };
  const std::string table = "\nbin|GPU time|share\nproductive|75 s|75.0 %\nrecovery|25 s|25.0 %";
  CheckSection("Ledger", "GPU time: 100 s in total; goodput: 75.0 %." + table, edit);
  CheckSection(
      "Ledger",
      "GPU time: 100 s in total; goodput: 75.0 %.\n"
      "It cost 4.50 EUR, of which 1.25 was wasted.\nEnergy: 2 kWh.\n"
      "straggler_wait is the time that ranks spent waiting for slower ranks, over all steps; the "
      "extra time of the slow rank itself counts as productive." +
          table,
      [&](JobFindings& findings) {
        edit(findings);
        findings.ledger.bill = training::Bill{.cost = 4.5, .wasted_cost = 1.25};
        findings.ledger.currency = "EUR";
        findings.ledger.energy.joules = 2 * 3.6e6;
        findings.stragglers.answer.verdict = training::StragglerVerdict::kSlowRank;
      });
  CheckSection(
      "Ledger",
      "GPU time: 100 s in total; goodput: 75.0 %.\nIt cost 4.50, of which 1.25 was wasted." + table,
      [&](JobFindings& findings) {
        edit(findings);
        findings.ledger.bill = training::Bill{.cost = 4.5, .wasted_cost = 1.25};
      });
}

TEST(Report, Events) {
  CheckSection("Events", "No events.");
  CheckSection(
      "Events", "kind|step|ranks|duration|meaning\nxid|12|5, 7|90 s|Drain it.\nstall|||2.0 min|",
      [](JobFindings& findings) {
        findings.events.events = {{.kind = training::EventKind::kXid,
                                   .time = {1000, 91'000},
                                   .step = 12,
                                   .rows = {1, 3},
                                   .words = "Drain it."},
                                  {.kind = training::EventKind::kStall, .time = {0, 120'000}}};
      });
}

TEST(Report, TextAndMarkdown) {
  const std::vector<ReportSection> sections = {
      {"One", {"First.", "Second."}, {{"a", "long"}, {"wider", "b"}, {"", ""}}},
      {"Two", {}, {{"c"}, {"d"}}},
      {"Three", {"Third."}, {}}};
  EXPECT_EQ(Rendered(sections, ReportFormat::kText),
            "One\n  First.\n  Second.\n"
            "  a      long\n"
            "  wider  b\n"
            "\n"
            "\nTwo\n  c\n  d\n\nThree\n  Third.\n");
  EXPECT_EQ(Rendered(sections, ReportFormat::kMarkdown),
            "## One\n\n- First.\n- Second.\n\n"
            "| a     | long |\n"
            "| ----- | ---- |\n"
            "| wider | b    |\n"
            "|       |      |\n"
            "\n## Two\n\n| c |\n| --- |\n| d |\n\n## Three\n\n- Third.\n");
}

// Two attempts of one rank whose steps of 1000 tokens take a second.
TEST(Report, HasWhatEachAnswerSays) {
  MemoryStorage storage;
  constexpr int64_t kBeginMs = 1'700'000'000'000;
  const auto add = [&](const char* name, int64_t end_ms, double value) {
    storage.Append(LabelSet::Of({{kMetricName, name}, {"job", "a"}, {"rank", "0"}}), end_ms, value);
  };
  for (int64_t n = 0; n < 60; ++n) {
    const bool is_second = n >= 30;
    const int64_t end_ms = kBeginMs + 1000 * n + (is_second ? 70'000 : 0);
    add("train_step", end_ms, static_cast<double>(is_second ? n - 10 : n));
    add("train_step_time_seconds", end_ms, 1);
    add("train_tokens", end_ms, 1000);
    add("train_loss", end_ms, 2);
  }
  TaskPool pool(0);
  QueryBudget budget(1'000'000, QueryBudget::Clock::time_point::max());
  const int64_t now_ms = kBeginMs + 24 * 3'600'000;
  const QuestionContext context{storage, pool, budget, now_ms};
  Prices prices;
  prices.currency = "EUR";
  const auto found =
      AnswerReport({.job = {"a"}, .efficiency = {.total_tokens = 1e6}, .prices = prices}, context);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->subject.attempt, 1u);
  EXPECT_EQ(found->step_count, 30u);
  EXPECT_EQ(found->summary.job.name, "a");
  EXPECT_TRUE(found->summary.verdict.has_value());
  const auto ledger = AnswerLedger({.job = {"a"}, .prices = prices}, context);
  EXPECT_EQ(ledger->attempt_count, 2u);
  EXPECT_EQ(found->ledger.attempt_count, 2u);
  EXPECT_EQ(found->ledger.ledger.gpu_seconds, ledger->ledger.gpu_seconds);
  EXPECT_EQ(found->ledger.currency, "EUR");
  const auto efficiency =
      AnswerEfficiency({.job = {"a"}, .options = {.total_tokens = 1e6}}, context);
  EXPECT_EQ(efficiency->answer.step_seconds, 1);
  EXPECT_EQ(found->efficiency.answer.step_seconds, 1);
  EXPECT_EQ(found->efficiency.eta_seconds, efficiency->eta_seconds);
  const auto events = AnswerEvents({"a"}, context);
  EXPECT_EQ(found->events.events.size(), events->events.size());
  EXPECT_EQ(found->events.subject.job.name, "a");
  EXPECT_EQ(found->bottlenecks.subject.job.name, "a");
  EXPECT_EQ(found->bottlenecks.answer.missing, AnswerBottlenecks({"a"}, context)->answer.missing);
  EXPECT_EQ(found->stragglers.subject.job.name, "a");
  EXPECT_EQ(found->stragglers.currency, "EUR");
  EXPECT_TRUE(events->annotations.empty());
  EXPECT_EQ(AnswerReport({.job = {"b"}}, context).status().code(), absl::StatusCode::kNotFound);
  budget.Cancel();
  EXPECT_FALSE(AnswerReport({.job = {"a"}}, context).ok());
}

// Attempts from second 0 to 29 and from 100 to 129, with annotations around them.
TEST(Report, AnnotationsOfAnAttemptIncludeThePausesAroundIt) {
  MemoryStorage storage;
  constexpr int64_t kBeginMs = 1'700'000'000'000;
  for (int64_t n = 0; n < 60; ++n) {
    const int64_t end_ms = kBeginMs + 1000 * n + (n < 30 ? 0 : 70'000);
    storage.Append(LabelSet::Of({{kMetricName, "train_step"}, {"job", "a"}, {"rank", "0"}}), end_ms,
                   static_cast<double>(n < 30 ? n : n - 30));
  }
  annotations::AnnotationTotal total(nullptr);
  annotations::AnnotationStore store(nullptr, total);
  for (const int64_t at_s : {-50, 10, 50, 110, 200}) {
    annotations::AnnotationChange change{.job = "a", .id = std::to_string(at_s)};
    change.text = "two\nlines";
    change.start_ms = kBeginMs + 1000 * at_s;
    change.end_ms = change.start_ms;
    ASSERT_TRUE(store.Put({change}, kBeginMs).ok());
  }
  TaskPool pool(0);
  QueryBudget budget(1'000'000, QueryBudget::Clock::time_point::max());
  QuestionContext context{storage, pool, budget, kBeginMs + 24 * 3'600'000};
  context.annotations = [&](const annotations::AnnotationFilter& filter) {
    return store.List(filter, context.now_ms);
  };
  const auto ids = [&](const JobQuestion& question) {
    std::string text;
    const auto events = AnswerEvents(question, context);
    EXPECT_TRUE(events.ok()) << events.status();
    for (const auto& one : events->annotations) text += one->id + " ";
    return text;
  };
  EXPECT_EQ(ids({.name = "a"}), "50 110 200 ");
  EXPECT_EQ(ids({.name = "a", .attempt = 0}), "-50 10 50 ");
  EXPECT_EQ(ids({.name = "a", .time = {kBeginMs + 105'000, kBeginMs + 150'000}}), "110 ");
  const auto report = AnswerReport({.job = {"a"}}, context);
  ASSERT_TRUE(report.ok()) << report.status();
  const std::vector<ReportSection> sections = ReportOf(*report);
  EXPECT_EQ(sections.back().title, "Annotations");
  EXPECT_EQ(sections.back().table.size(), 4u);
  EXPECT_EQ(sections.back().table.back().back(), "two lines");
}

}  // namespace
}  // namespace lockstep::answers
