#include "api/training/training_json.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_replace.h"
#include "api/training/bottlenecks_json.h"
#include "api/training/comparison_json.h"
#include "api/training/efficiency_json.h"
#include "api/training/events_json.h"
#include "api/training/heat_map_json.h"
#include "api/training/jobs_json.h"
#include "api/training/steps_json.h"
#include "api/training/stragglers_json.h"

namespace lockstep::api {
namespace {

// In an expected response, $RANK4 and $RANK5 are the fields of a rank, and $HEAD, $CONFIDENCE and
// $EVIDENCE those that responses share. The fields and their units are those of docs/openapi.yaml.
template <typename Answer>
void CheckJson(void (&write)(JsonWriter&, const Answer&), const Answer& answer,
               const std::string& expected) {
  std::string out;
  JsonWriter json(out);
  write(json, answer);
  EXPECT_EQ(out, absl::StrReplaceAll(
                     expected,
                     {{"$RANK4", R"("rank":4,"host":"n1","gpu":"0","uuid":"GPU-a")"},
                      {"$RANK5", R"("rank":5,"host":"n2","gpu":"1","uuid":"GPU-b")"},
                      {"$HEAD", R"("job":"j","attempt":2,"from":1,"to":2.5)"},
                      {"$CONFIDENCE", R"({"steps":7,"samples":9,"margin":0.5,"missing":["loss"]})"},
                      {"$EVIDENCE", R"("evidence":[{"signal":"power","value":1.5,"reference":null,)"
                                    R"("unit":"W","words":"It is warm."}])"},
                      {"\n", ""}}));
}

answers::Subject TwoRanks() {
  return {
      .job = {.name = "j",
              .ranks = {{.rank = 4, .host = "n1", .gpu = "0", .gpu_uuid = "GPU-a", .stage = 1},
                        {.rank = 5, .host = "n2", .gpu = "1", .gpu_uuid = "GPU-b", .stage = 2}}},
      .attempt = 2,
      .time = {1000, 2500}};
}

training::Confidence SomeConfidence() {
  return {.steps = 7, .samples = 9, .margin = 0.5, .missing = {"loss"}};
}

std::vector<training::Evidence> SomeEvidence() {
  return {{.signal = "power", .value = 1.5, .unit = "W", .words = "It is warm."}};
}

training::RankMatrix MatrixOf(std::vector<std::vector<double>> rows) {
  training::RankMatrix matrix(rows.size(), rows.front().size());
  for (size_t row = 0; row < rows.size(); ++row) {
    for (size_t column = 0; column < rows[row].size(); ++column) {
      matrix(row, column) = rows[row][column];
    }
  }
  return matrix;
}

TEST(TrainingJson, Stragglers) {
  answers::JobStragglers found{.subject = TwoRanks()};
  CheckJson(WriteStragglers, found, R"({$HEAD,"method":"step_time","verdict":"no_data","also":[],
"ranks":[],"slow_since":null,"is_running":false,"frontier_step":null,"not_reporting":[],
"what_if":{"step_seconds":null,"step_seconds_now":null,"step_seconds_before":null,
"saved_seconds":0,"saved_gpu_seconds":0},"lost_seconds":0,"lost_gpu_seconds":0,"lost_cost":null,
"currency":null,"evidence":[],"missing":[],
"confidence":{"steps":0,"samples":0,"margin":null,"missing":[]},"methods":[],"presets":[]})");

  training::StragglerAnswer& answer = found.answer;
  answer.method = training::StragglerMethod::kOwnTime;
  answer.verdict = training::StragglerVerdict::kSlowRank;
  answer.also = {training::StragglerVerdict::kUnevenWork};
  answer.ranks = {{.row = 1,
                   .cause = training::StragglerCause::kLoader,
                   .gpu_reason = training::GpuReason::kClocks,
                   .score = 0.25,
                   .persistence = 0.75,
                   .episodes = {{{1000, 2000}, 10, 20, false}, {{3000, 4000}, 30, 40, true}},
                   .lost_seconds = 3,
                   .evidence = SomeEvidence()}};
  answer.slow_since = training::StragglerEpisode{.time = {5000, 6000}};
  answer.what_if = {.step_seconds_now = 2, .step_seconds_before = 1, .step_seconds_without = 1.5};
  answer.lost_seconds = 3;
  answer.lost_gpu_seconds = 6;
  answer.evidence = SomeEvidence();
  answer.missing = {"phases"};
  answer.confidence = SomeConfidence();
  found.is_running = true;
  found.frontier_step = 44;
  found.not_reporting = {{.row = 0, .since_ms = 7000, .last_step = 43}};
  found.lost_cost = 12;
  found.currency = "EUR";
  found.methods = {{training::StragglerMethod::kStepTime, training::StragglerVerdict::kNone, {1}}};
  found.presets = {{.preset = training::Preset::kLowTensor,
                    .fires = true,
                    .row = 0,
                    .value = 0.05,
                    .threshold = 0.1}};
  CheckJson(
      WriteStragglers, found,
      absl::StrReplaceAll(
          R"({$HEAD,"method":"own_time","verdict":"slow_rank","also":["uneven_work"],"ranks":[{
$RANK5,"verdict":"slow_rank","cause":"loader","gpu_reason":"clocks","score":0.25,
"persistence":0.75,"from":1,"to":4,"first_step":10,"last_step":40,"is_open":true,"episodes":[
{"from":1,"to":2,"first_step":10,"last_step":20,"is_open":false},
{"from":3,"to":4,"first_step":30,"last_step":40,"is_open":true}],"lost_seconds":3,$EVIDENCE}],
"slow_since":{"from":5,"to":6,"first_step":null,"last_step":null,"is_open":false},
"is_running":true,"frontier_step":44,"not_reporting":[{$RANK4,"since":7,"last_step":43}],
"what_if":{"step_seconds":1.5,"step_seconds_now":2,"step_seconds_before":1,
"saved_seconds":3,"saved_gpu_seconds":6},"lost_seconds":3,"lost_gpu_seconds":6,"lost_cost":12,
"currency":"EUR",$EVIDENCE,"missing":["phases"],"confidence":$CONFIDENCE,
"methods":[{"method":"step_time","verdict":"none","ranks":[5]}],
"presets":[{"name":"$NAME","fires":true,"rank":4,"value":0.05,"threshold":0.1,"sees":"$SEES"}]})",
          {{"$NAME", std::string(Name(training::Preset::kLowTensor))},
           {"$SEES", std::string(Sees(training::Preset::kLowTensor))}}));
}

TEST(TrainingJson, Bottlenecks) {
  answers::JobBottlenecks found{TwoRanks(), {}};
  found.answer.verdict = training::BottleneckClass::kMemoryBound;
  found.answer.host_cause = training::HostCause::kCopies;
  training::GpuBottleneck gpu;
  gpu.row = 1;
  gpu.bottleneck = training::BottleneckClass::kInputBound;
  gpu.host_cause = training::HostCause::kData;
  gpu.least_margin = 0.5;
  gpu.share[static_cast<size_t>(training::BottleneckClass::kIdle)] = 0.25;
  gpu.share[static_cast<size_t>(training::BottleneckClass::kInputBound)] = 0.75;
  gpu.flags = {training::BottleneckFlag::kHot};
  gpu.evidence = SomeEvidence();
  found.answer.gpus = {gpu};
  found.answer.windows = {
      {{3000, 4000}, {{.bottleneck = training::BottleneckClass::kIdle, .margin = 0.5}, {}}}};
  found.answer.evidence = SomeEvidence();
  found.answer.missing = {"tensor"};
  found.answer.confidence = SomeConfidence();
  CheckJson(WriteBottlenecks, found,
            absl::StrReplaceAll(
                R"({$HEAD,"verdict":"memory_bound","host_cause":"copies","advice":"$MEMORY",
"gpus":[{$RANK5,"class":"input_bound","host_cause":"data","margin":0.5,"share":{"idle":0.25,
"input_bound":0.75,"fake_load":0,"waiting":0,"communication_bound":0,"memory_bound":0,
"latency_bound":0,"compute_bound":0,"unknown":0},$EVIDENCE,"advice":"$INPUT",
"flags":[{"flag":"$HOT","advice":"$COOL"}]}],
"windows":[{"from":3,"to":4,"classes":["idle","unknown"],"margins":[0.5,null]}],
$EVIDENCE,"missing":["tensor"],"confidence":$CONFIDENCE})",
                {{"$MEMORY", std::string(Advice(training::BottleneckClass::kMemoryBound))},
                 {"$INPUT", std::string(Advice(training::BottleneckClass::kInputBound))},
                 {"$HOT", std::string(Name(training::BottleneckFlag::kHot))},
                 {"$COOL", std::string(Advice(training::BottleneckFlag::kHot))}}));
}

TEST(TrainingJson, Efficiency) {
  answers::JobEfficiency found{TwoRanks(), {}};
  training::EfficiencyAnswer& answer = found.answer;
  answer.convention = training::FlopsConvention::kPalm;
  answer.reason = "No model.";
  answer.confidence = SomeConfidence();
  constexpr std::string_view kNothing =
      R"({$HEAD,"mfu":null,"hfu":null,"mbu":null,"mfu_of_wall":null,"is_above_peak":false,
"work_varies":false,"tflops_per_gpu":null,"step_seconds":null,"tokens_per_second":null,
"tokens_per_second_per_gpu":null,"samples_per_second":null,"consumed_tokens":null,
"consumed_samples":null,"eta_seconds":null,"convention":"palm","peak":null,"reason":"No model.",
"confidence":$CONFIDENCE,"ranks":[]})";
  CheckJson(WriteEfficiency, found, std::string(kNothing));

  answer.peak_flops = 1000;
  answer.gpu_model = "h100";
  answer.achieved_flops = 800;
  answer.reason = "";
  answer.mfu = 0.25;
  answer.hfu = 0.375;
  answer.mbu = 0.5;
  answer.mfu_of_wall = 0.125;
  answer.is_above_peak = true;
  answer.work_varies = true;
  answer.tflops_per_gpu = 250;
  answer.step_seconds = 2;
  answer.ranks = {{.tflops = 240, .mfu = 0.24}, {}};
  found.precision = training::Precision::kFp8;
  found.tokens_per_second = 100;
  found.tokens_per_second_per_gpu = 50;
  found.samples_per_second = 10;
  found.consumed_tokens = 1000;
  found.consumed_samples = 20;
  found.eta_seconds = 60;
  CheckJson(WriteEfficiency, found,
            R"({$HEAD,"mfu":0.25,"hfu":0.375,"mbu":0.5,"mfu_of_wall":0.125,"is_above_peak":true,
"work_varies":true,"tflops_per_gpu":250,"step_seconds":2,"tokens_per_second":100,
"tokens_per_second_per_gpu":50,"samples_per_second":10,"consumed_tokens":1000,
"consumed_samples":20,"eta_seconds":60,"convention":"palm","peak":{"dtype":"fp8",
"flops":1000,"source":"catalogue: h100, dense","model":"h100","measured_best_flops":800},
"reason":"","confidence":$CONFIDENCE,"ranks":[{$RANK4,"mfu":0.24,"tflops_per_gpu":240},
{$RANK5,"mfu":null,"tflops_per_gpu":null}]})");
}

TEST(TrainingJson, Events) {
  answers::JobEvents found{TwoRanks(), {}, SomeConfidence()};
  found.events = {{.kind = training::EventKind::kXid,
                   .time = {3000, 4000},
                   .step = 12,
                   .rows = {1},
                   .evidence = SomeEvidence(),
                   .words = "Drain it."},
                  {.kind = training::EventKind::kStall, .time = {5000, 6000}}};
  CheckJson(WriteEvents, found, R"({$HEAD,"events":[{"kind":"xid","from":3,"to":4,"step":12,
"ranks":[5],$EVIDENCE,"words":"Drain it.","annotation":null},{"kind":"stall","from":5,"to":6,
"step":null,"ranks":[],"evidence":[],"words":"","annotation":null}],"confidence":$CONFIDENCE})");
  // In the order of time, and open until now.
  annotations::Annotation annotation;
  annotation.id = "1";
  annotation.kind = "profile";
  annotation.start_ms = 4500;
  found.annotations = {std::make_shared<const annotations::Annotation>(annotation)};
  found.now_ms = 7000;
  found.events.erase(found.events.begin());
  CheckJson(WriteEvents, found, R"({$HEAD,"events":[{"kind":"annotation","from":4.5,"to":7,
"step":null,"ranks":[],"evidence":[],"words":"","annotation":{"id":"1","kind":"profile","text":"",
"is_open":true,"first_step":null,"last_step":null,"tags":[],"labels":{}}},{"kind":"stall","from":5,
"to":6,"step":null,"ranks":[],"evidence":[],"words":"","annotation":null}],
"confidence":$CONFIDENCE})");
}

TEST(TrainingJson, Comparison) {
  training::Comparison comparison{training::ComparisonAxis::kTokens, {10, 20}, {{}, {}}};
  comparison.runs[0].name = "a";
  comparison.runs[1] = {.name = "b",
                        .step_seconds = 2,
                        .speed = 1.5,
                        .tokens_per_second = 100,
                        .highest_memory_bytes = 64,
                        .joules_per_step = 600,
                        .joules_per_token = 3,
                        .loss = {2.5, training::kUnknown},
                        .loss_gap = {0.5, training::kUnknown},
                        .last_gap = 0.25,
                        .parts_at = 20};
  const std::string runs = R"("at":[10,20],"runs":[{"run":"a","step_seconds":null,"speed":null,
"tokens_per_second":null,"highest_memory_bytes":null,"joules_per_step":null,
"joules_per_token":null,"loss":[],"loss_gap":[],"last_gap":null,"parts_at":null},
{"run":"b","step_seconds":2,"speed":1.5,"tokens_per_second":100,"highest_memory_bytes":64,
"joules_per_step":600,"joules_per_token":3,"loss":[2.5,null],"loss_gap":[0.5,null],
"last_gap":0.25,"parts_at":20}]})";
  CheckJson(WriteComparison, comparison, R"({"align":"tokens",)" + runs);
  comparison.axis = training::ComparisonAxis::kSeconds;
  CheckJson(WriteComparison, comparison, R"({"align":"time",)" + runs);
}

TEST(TrainingJson, HeatMap) {
  answers::JobHeatMap map{TwoRanks(), {"loss", "nats"}};
  map.is_over_steps = true;
  map.bins = {{{1000, 2000}, 1, 5}, {{2000, 3000}, {}, {}}};
  map.rows = {{.host = "n1", .device = "eth0", .first_rank = 4, .last_rank = 5}};
  // Five digits are shown, but counts are exact.
  map.cells = {.lowest = MatrixOf({{1, 2}, {3, training::kUnknown}}),
               .highest = MatrixOf({{123456789, 0.1234567}}),
               .last = MatrixOf({{5}}),
               .mean = MatrixOf({{6}}),
               .count = MatrixOf({{1234567, 0}})};
  map.furthest = MatrixOf({{1}});
  map.metrics = {"loss", "grad_norm"};
  const std::string start = R"({$HEAD,"metric":"loss","unit":"nats",)";
  const std::string bins = R"("ranks":[4,5],"bins":[
{"from":1,"to":2,"first_step":1,"last_step":5},
{"from":2,"to":3,"first_step":null,"last_step":null}],)";
  const std::string cells = R"("min":[[1,2],[3,null]],"max":[[1.2346e+08,0.12346]],"last":[[5]],
"mean":[[6]],"count":[[1234567,0]],"furthest":[[1]],"metrics":["loss","grad_norm"]})";
  CheckJson(
      WriteHeatMap, map,
      start + R"("by":"step",)" + bins + R"("rows":[{"first_rank":4,"last_rank":5}],)" + cells);
  map.is_over_steps = false;
  map.metric.link = catalogue::Role::kNicReceiveBytesTotal;
  CheckJson(WriteHeatMap, map,
            start + R"("by":"time",)" + bins +
                R"("rows":[{"first_rank":4,"last_rank":5,"host":"n1","device":"eth0"}],)" + cells);
}

TEST(TrainingJson, Steps) {
  answers::JobSteps found{"j", {1000, 9000}, {{}, {}}};
  found.attempts[1] = {.attempt = 1,
                       .first_step = 3,
                       .last_step = 9,
                       .median_seconds = 1.5,
                       .spread_seconds = 0.25,
                       .step = {3, 9},
                       .end_ms = {4500, 6000},
                       .step_seconds = {1, training::kUnknown},
                       .behind_seconds = {0, 2}};
  CheckJson(WriteSteps, found, R"({"job":"j","from":1,"to":9,"attempts":[{"attempt":0,
"first_step":null,"last_step":null,"step":[],"end":[],"step_seconds":[],"behind_seconds":[],
"pacing":{"median_seconds":null,"spread_seconds":null}},{"attempt":1,"first_step":3,
"last_step":9,"step":[3,9],"end":[4.5,6],"step_seconds":[1,null],"behind_seconds":[0,2],
"pacing":{"median_seconds":1.5,"spread_seconds":0.25}}]})");
}

TEST(TrainingJson, Jobs) {
  answers::ListedJob silent;
  silent.job.name = "silent";
  answers::ListedJob job;
  job.job = TwoRanks().job;
  job.gpu_models = {"NVIDIA H100", "NVIDIA H100"};
  job.condition = {training::JobState::kStalled, training::JobStateReason::kDevices, 1500};
  job.time = {1000, 9000};
  job.attempts = {{.time = {1000, 2000}, .first_step = 1, .last_step = 5},
                  {.time = {3000, 4000}, .first_step = 4, .last_step = 8}};
  job.world_size = 2;
  job.facts.parallelism = {
      .data = 2, .tensor = 3, .pipeline = 4, .context = 5, .micro_batch = 6, .global_batch = 7};
  job.signals = {.steps = true, .phases = false, .devices = true};
  job.warnings = {"odd"};
  job.verdict = training::JobVerdictAnswer{.verdict = training::JobVerdict::kSlowRank,
                                           .also = {training::JobVerdict::kIdle},
                                           .sentence = "Rank 5.",
                                           .rows = {1, 2},  // the job has no third
                                           .confidence = SomeConfidence()};
  CheckJson(WriteJobs, {silent, job}, R"({"jobs":[{"job":"silent","state":"unknown",
"state_reason":"nothing","state_since":null,"from":0,"to":0,"first_step":null,"last_step":null,
"world_size":0,"attempts":[],"ranks":[],"hosts":[],"gpus":0,"gpu_models":[],
"parallelism":{"data":null,"tensor":1,"pipeline":1,"context":1,"micro_batch":null,
"global_batch":null},"signals":{"steps":false,"phases":false,"devices":false},"warnings":[]},
{"job":"j","state":"stalled","state_reason":"devices","state_since":1.5,"verdict":"slow_rank",
"also":["idle"],"sentence":"Rank 5.","verdict_ranks":[5],"verdict_confidence":$CONFIDENCE,
"from":1,"to":9,"first_step":1,"last_step":8,"world_size":2,"attempts":[
{"attempt":0,"from":1,"to":2,"first_step":1,"last_step":5},
{"attempt":1,"from":3,"to":4,"first_step":4,"last_step":8}],
"ranks":[{$RANK4,"model":"NVIDIA H100","stage":1},{$RANK5,"model":"NVIDIA H100","stage":2}],
"hosts":["n1","n2"],"gpus":2,"gpu_models":["NVIDIA H100"],
"parallelism":{"data":2,"tensor":3,"pipeline":4,"context":5,"micro_batch":6,"global_batch":7},
"signals":{"steps":true,"phases":false,"devices":true},"warnings":["odd"]}]})");
}

}  // namespace
}  // namespace lockstep::api
