#include "import/traces/kineto/kineto_event.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_format.h"

namespace lockstep::traces {
namespace {

// "kind begin+length name device correlation", plus a collective's fields; or "error: ...".
std::string ReadKinetoEvent(std::string_view json) {
  KinetoEventParser parser;
  const auto event = parser.Parse(json);
  if (!event.ok()) return "error: " + std::string(Message(event.status()));
  constexpr const char* kKinds[] = {"kernel", "memcpy", "memset", "host",
                                    "device", "launch", "wait",   "other"};
  const char* const kind = kKinds[static_cast<size_t>(event->kind)];
  if (event->kind == KinetoKind::kOther) return kind;
  std::string text =
      absl::StrFormat("%s %d+%d %s %d %d", kind, event->time.begin_ns, event->time.length_ns(),
                      event->name, event->device, event->correlation);
  if (event->bytes > 0) absl::StrAppendFormat(&text, " %d bytes", event->bytes);
  if (!event->collective.empty()) {
    absl::StrAppendFormat(&text, " %s/%s/%d/%s", event->collective, event->group,
                          event->in_elements, event->dtype);
  }
  return text;
}

struct EventRow {
  std::string_view json;
  std::string_view expected;
};

TEST(KinetoEventTest, ReadsWhatIsOfUse) {
  for (const EventRow& row : {
           EventRow{R"({"ph":"X","cat":"kernel","name":"k<1, 2>","pid":2,"tid":7,)"
                    R"("ts":4385022026829.242,"dur":0.8,)"
                    R"("args":{"device":2,"stream":7,"correlation":4,"grid":[1,1,1]}})",
                    "kernel 4385022026829242+800 k<1, 2> 2 4"},
           EventRow{R"({"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD","ts":1,"dur":2,)"
                    R"("args":{"bytes":8}})",
                    "memcpy 1000+2000 Memcpy HtoD 0 0 8 bytes"},
           EventRow{R"({"ph":"X","cat":"kernel","name":"nccl","ts":1.5,"dur":1e3,)"
                    R"("args":{"Collective name":"allreduce","In msg nelems":67108864,)"
                    R"("dtype":"BFloat16","Process Group Description":"default_pg"}})",
                    "kernel 1500+1000000 nccl 0 0 allreduce/default_pg/67108864/BFloat16"},
           EventRow{R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","ts":-1.25,)"
                    R"("dur":0.001})",
                    "host -1250+1 ProfilerStep#1 0 0"},
           EventRow{
               R"({"ph":"X","cat":"gpu_user_annotation","name":"a \"b\" \u00e9","ts":1,"dur":1,)"
               R"("args":null})",
               "device 1000+1000 a \"b\" \xc3\xa9 0 0"},
           EventRow{R"({"ph":"X","cat":"cuda_driver","name":"cuLaunchKernelEx","ts":1,"dur":1,)"
                    R"("args":{"correlation":9}})",
                    "launch 1000+1000 cuLaunchKernelEx 0 9"},
           EventRow{
               R"({"ph":"X","cat":"cuda_runtime","name":"cudaStreamSynchronize","ts":2,"dur":3})",
               "wait 2000+3000 cudaStreamSynchronize 0 0"},
           EventRow{R"({"ph":"X","cat":"cuda_runtime","name":"cudaEventQuery","ts":1,"dur":1})",
                    "other"},
           EventRow{R"({"ph":"X","cat":"cpu_op","name":"aten::mm","ts":"?","dur":1})", "other"},
           EventRow{R"({"ph":"s","id":4,"cat":"ac2g"})", "other"},
           // Members in another order.
           EventRow{R"({"name":"k","args":{"device":1},"dur":2,"ts":1,"cat":"kernel","ph":"X"})",
                    "kernel 1000+2000 k 1 0"},
           EventRow{R"({"name":"k","ts":1,"dur":2,"cat":"kernel","ph":"i"})", "other"},
       }) {
    EXPECT_EQ(ReadKinetoEvent(std::string(row.json)), row.expected) << row.json;
  }
}

TEST(KinetoEventTest, RefusesWhatIsBroken) {
  for (const EventRow& row : {
           EventRow{R"({"ph":"X","cat":"kernel","name":"k","dur":2})",
                    "error: event without a time"},
           EventRow{R"({"ph":"X","cat":"kernel","name":"k","ts":1})",
                    "error: event without a time"},
           EventRow{R"({"ph":"X","cat":"kernel","name":"k","ts":1,"dur":-1})",
                    "error: event without a time"},
           EventRow{R"({"ph":"X","cat":"kernel","name":"k","ts":1e30,"dur":1})",
                    "error: event without a time"},
           EventRow{R"({"ph":"X" "cat":"kernel"})", "error: event that is not JSON"},
           EventRow{R"(["ph"])", "error: event that is not an object"},
           EventRow{R"({"ph":"X","cat":"kernel","ts":1,"dur":1,"args":{"device" 1}})",
                    "error: event that is not JSON"},
       }) {
    EXPECT_EQ(ReadKinetoEvent(std::string(row.json)), row.expected) << row.json;
  }
}

// Bytes that follow an event in the file are not part of it.
TEST(KinetoEventTest, BytesBehindItDoNotMatter) {
  constexpr std::string_view kBroken = R"({"ph":"X","pid":"a":1})";
  for (const std::string_view behind : {"", "}", "}}", ",", ",\n{\"ph\":\"X\"}", "\"", "]"}) {
    const std::string file = std::string(kBroken) + std::string(behind);
    EXPECT_EQ(ReadKinetoEvent(std::string_view(file).substr(0, kBroken.size())),
              "error: event that is not JSON")
        << behind;
  }
}

struct TimeRow {
  std::string_view number;
  std::optional<int64_t> expected;
};

TEST(KinetoEventTest, ReadsTimesToTheNanosecond) {
  for (const TimeRow& row : {
           TimeRow{"0", 0},
           TimeRow{"1.5", 1500},
           TimeRow{"1772442930000000.123", 1772442930000000123},  // more digits than a double has
           TimeRow{"1.0019", 1001},
           TimeRow{"-0.5", -500},
           TimeRow{"-2.25", -2250},
           TimeRow{"1e3", 1000000},
           TimeRow{"1.5E+2", 150000},
           TimeRow{"4500000000000000", 4500000000000000000},
           TimeRow{"4500000000000001", std::nullopt},
           TimeRow{"99999999999999999999", std::nullopt},
           TimeRow{"1e300", std::nullopt},
           TimeRow{"", std::nullopt},
           TimeRow{"\"1\"", std::nullopt},
           TimeRow{"1.2.3", std::nullopt},
           TimeRow{"null", std::nullopt},
       }) {
    EXPECT_EQ(ParseMicroseconds(row.number), row.expected) << row.number;
  }
}

}  // namespace
}  // namespace lockstep::traces
