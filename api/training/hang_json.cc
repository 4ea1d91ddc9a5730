#include "api/training/hang_json.h"

#include <optional>

#include "api/training/training_json.h"

namespace lockstep::api {
namespace {

std::optional<double> KnownSeconds(int64_t time_ms) {
  return time_ms > 0 ? std::optional(UnixSeconds(time_ms)) : std::nullopt;
}

std::optional<int64_t> KnownSecondsOf(int64_t duration_ms) {
  return duration_ms > 0 ? std::optional(duration_ms / 1000) : std::nullopt;
}

void WriteMissing(JsonWriter& json, const std::vector<hang::AbsentRank>& missing) {
  WriteObjects(json, "missing", missing, [&](const hang::AbsentRank& absent) {
    json.Field("rank", absent.rank);
    json.Field("host", absent.host);
    json.Field("last", absent.last);
    json.Field("where", absent.where);
    json.Field("where_source", absent.where.empty()    ? ""
                               : absent.where_is_stack ? "stack"
                                                       : "last_operation");
    json.Field("waits_elsewhere", absent.waits_elsewhere);
  });
}

void WriteDiffering(JsonWriter& json, const std::vector<hang::EnteredOperation>& differing) {
  WriteObjects(json, "differing", differing, [&](const hang::EnteredOperation& other) {
    json.Field("rank", other.rank);
    json.Field("kind", other.kind);
    json.Field("sizes", other.sizes);
    json.Field("dtypes", other.dtypes);
    json.Field("where", other.where);
  });
}

void WriteWaitFields(JsonWriter& json, const hang::Wait& wait) {
  json.Field("verdict", Name(wait.verdict));
  json.Field("group", wait.group);
  json.Field("description", wait.description);
  json.Field("group_size", wait.group_size);
  json.Field("kind", wait.kind);
  json.Field("is_p2p", wait.is_p2p);
  json.Field("sequence", wait.sequence);
  json.Field("sizes", wait.sizes);
  json.Field("dtypes", wait.dtypes);
  json.Field("where", wait.where);
  json.Field("since", KnownSeconds(wait.since_ms));
  json.Field("timeout_seconds", KnownSecondsOf(wait.timeout_ms));
  json.Field("waiting", wait.waiting);
  json.Field("entered", wait.entered);
  WriteMissing(json, wait.missing);
  json.Field("without_dump", wait.without_dump);
  json.Field("unknown", wait.unknown);
  json.Key("mismatch");
  if (wait.mismatch.has_value()) {
    json.String(Name(*wait.mismatch));
  } else {
    json.Null();
  }
  WriteDiffering(json, wait.differing);
}

void WriteReported(JsonWriter& json, const answers::JobHang& found) {
  json.Field("state", Name(found.condition.state));
  json.Field("state_since", KnownSeconds(found.condition.since_ms));
  json.Field("newest_step", found.newest_step_ms.has_value()
                                ? std::optional(UnixSeconds(*found.newest_step_ms))
                                : std::nullopt);
  json.Field("first_to_stop",
             found.steps.has_value() ? found.steps->first_to_stop : std::vector<int64_t>());
  const auto step = [&](int64_t answers::ReportedSteps::*field) {
    return found.steps.has_value() ? std::optional((*found.steps).*field) : std::nullopt;
  };
  json.Field("lowest_last_step", step(&answers::ReportedSteps::lowest_step));
  json.Field("highest_last_step", step(&answers::ReportedSteps::highest_step));
}

void WriteEvidenceCounts(JsonWriter& json, const hang::HangAnswer& answer) {
  json.Field("dumps", answer.dump_count);
  json.Field("stacks", answer.stack_count);
  json.Field("newest_dump", KnownSeconds(answer.newest_dump_ms));
  json.Field("waited_seconds", answer.waited_ms.has_value()
                                   ? std::optional(UnixSeconds(*answer.waited_ms))
                                   : std::nullopt);
  WriteObjects(json, "set_aside", answer.set_aside, [&](const hang::SetAside& one) {
    json.Field("rank", one.rank);
    json.Field("reason", one.reason);
  });
  json.Field("remarks", answer.remarks);
  json.Field("missing", answer.missing);
}

}  // namespace

void WriteHang(JsonWriter& json, const answers::JobHang& found) {
  json.BeginObject();
  json.Field("job", found.job);
  json.Field("verdict", Name(found.answer.verdict));
  json.Field("sentence", found.sentence);
  WriteReported(json, found);
  json.Key("cause");
  if (found.answer.cause.has_value()) {
    json.BeginObject();
    WriteWaitFields(json, *found.answer.cause);
    json.EndObject();
  } else {
    json.Null();
  }
  WriteObjects(json, "others", found.answer.others,
               [&](const hang::Wait& wait) { WriteWaitFields(json, wait); });
  WriteEvidenceCounts(json, found.answer);
  json.EndObject();
}

}  // namespace lockstep::api
