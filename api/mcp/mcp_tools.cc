#include "api/mcp/mcp_tools.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "api/http/params.h"
#include "api/mcp/compact_text.h"
#include "api/mcp/cookbook.h"
#include "base/status.h"
#include "base/text/url.h"

namespace lockstep::api {

namespace {

using simdjson::SUCCESS;
using simdjson::dom::element;
using enum McpArgumentKind;

constexpr size_t kMaxTextBytes = 24 << 10;
constexpr size_t kMaxStructuredBytes = 96 << 10;
constexpr size_t kMaxErrorBytes = 2 << 10;
constexpr int64_t kMostRangePoints = 500;
constexpr int64_t kDefaultPoints = 60;
constexpr size_t kMostSections = 3;

constexpr McpArgument kJob = {"job", kText, true, "The job's name, as in list_jobs."};
constexpr McpArgument kStart = {"start", kTime, false,
                                "Unix seconds or RFC 3339; the start of the job when left out."};
constexpr McpArgument kEnd = {"end", kTime, false,
                              "Unix seconds or RFC 3339; the end of the job when left out."};
constexpr McpArgument kAttempt = {"attempt", kNumber, false,
                                  "Number of the start, from 0; the last one when left out."};
constexpr McpArgument kQuery = {"query", kText, true, "A PromQL expression."};

constexpr McpArgument kJobsArguments[] = {
    {"job", kText, false, "Only this job."},
    {"start", kTime, false, "Unix seconds or RFC 3339; 30 days ago when left out."},
    {"end", kTime, false, "Unix seconds or RFC 3339; now when left out."}};
constexpr McpArgument kJobArguments[] = {kJob, kStart, kEnd, kAttempt};
constexpr McpArgument kMfuArguments[] = {
    kJob,
    kStart,
    kEnd,
    kAttempt,
    {"dtype", kText, false,
     "The peak to compare with: bf16 (default), fp16, fp8, fp4, tf32, fp32."}};
constexpr McpArgument kAnnotationArguments[] = {
    {"job", kText, false, "Only annotations of this job."},
    {"kind", kText, false,
     "Only this kind: profile, evaluation, checkpoint, restart, deploy, note."},
    {"start", kTime, false, "Unix seconds or RFC 3339."},
    {"end", kTime, false, "Unix seconds or RFC 3339."}};
constexpr McpArgument kQueryArguments[] = {
    kQuery, {"time", kTime, false, "Unix seconds or RFC 3339; now when left out."}};
constexpr McpArgument kRangeArguments[] = {
    kQuery,
    {"start", kTime, true, "Unix seconds or RFC 3339."},
    {"end", kTime, false, "Unix seconds or RFC 3339; now when left out."},
    {"step", kNumber, false,
     "Seconds between two points; a sixtieth of the range when left out. At most 500 points."}};
constexpr McpArgument kCookbookArguments[] = {
    {"search", kText, false, "Words to look for; the titles of all sections when left out."}};

constexpr McpTool kTools[] = {
    {"list_jobs", "Training jobs",
     "Lists training jobs with their state, verdict (the worst finding, in one word and a "
     "sentence), "
     "ranks, hosts and GPUs. Ask this first.",
     McpAction::kFetch, "/api/v1/training/jobs", kJobsArguments},
    {"get_report", "Report of a job",
     "Everything known about a job in sentences: verdict, stragglers, bottlenecks, efficiency, GPU "
     "time and its cost, events, annotations.",
     McpAction::kFetchText, "/api/v1/training/report?format=text", kJobArguments},
    {"find_stragglers", "Stragglers of a job",
     "Says which rank holds a job back, since when, why (loader, GPU, network, host), with what "
     "evidence and confidence, and how many seconds it costs.",
     McpAction::kFetch, "/api/v1/training/stragglers", kJobArguments},
    {"find_bottlenecks", "Bottlenecks of a job",
     "Says what limits each GPU: input, communication, memory, compute, or a fake load; with "
     "advice.",
     McpAction::kFetch, "/api/v1/training/bottlenecks", kJobArguments},
    {"get_mfu", "Efficiency of a job",
     "MFU, HFU, MBU, tokens per second and TFLOP/s of a job and of its ranks, and what the peak "
     "is.",
     McpAction::kFetch, "/api/v1/training/mfu", kMfuArguments},
    {"list_events", "Events of a job",
     "Loss spikes, hangs, leaks, throttling, ECC errors and XIDs of a job, and its annotations.",
     McpAction::kFetch, "/api/v1/training/events", kJobArguments},
    {"list_annotations", "Annotations",
     "What people and programs noted: profiles, evaluations, checkpoints, restarts, deploys.",
     McpAction::kFetch, "/api/v1/annotations?limit=100", kAnnotationArguments},
    {"query", "PromQL, at one time",
     "Evaluates a PromQL expression at one time, for at most 200 series. Look into the cookbook "
     "for "
     "expressions that do not mislead.",
     McpAction::kFetch, "/api/v1/query?limit=200", kQueryArguments},
    {"query_range", "PromQL, over time",
     "Evaluates a PromQL expression over time, for at most 50 series and 500 points.",
     McpAction::kRange, "/api/v1/query_range?limit=50", kRangeArguments},
    {"look_up_cookbook", "Cookbook",
     "Finds questions about training fleets with the PromQL query that answers each, and the one "
     "that misleads.",
     McpAction::kCookbook, "", kCookbookArguments},
};

using Values = std::vector<std::pair<std::string_view, std::string>>;

std::string_view ArgumentOf(const Values& values, std::string_view name) {
  const auto found = std::ranges::find(values, name, &Values::value_type::first);
  return found == values.end() ? std::string_view() : std::string_view(found->second);
}

absl::Status WrongArgument(std::string_view name, std::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrFormat("argument \"%s\" %s", name.substr(0, 100), what));
}

absl::StatusOr<std::string> ArgumentText(const McpArgument& argument, element value) {
  std::string_view text;
  const bool is_number = value.is_int64() || value.is_uint64() || value.is_double();
  if (is_number && argument.kind != kText) return simdjson::minify(value);
  if (value.get(text) == SUCCESS && argument.kind != kNumber) return std::string(text);
  switch (argument.kind) {
    case kText:
      return WrongArgument(argument.name, "must be a string");
    case kTime:
      return WrongArgument(argument.name, "must be Unix seconds or RFC 3339");
    default:
      return WrongArgument(argument.name, "must be a number");
  }
}

absl::StatusOr<Values> ReadArguments(const McpTool& tool, simdjson::dom::object arguments) {
  Values values;
  for (const auto& [key, value] : arguments) {
    const auto known = std::ranges::find(tool.arguments, key, &McpArgument::name);
    if (known == tool.arguments.end()) {
      return WrongArgument(key, absl::StrFormat("is not one of the tool %s", tool.name));
    }
    if (value.is_null()) continue;
    LOCKSTEP_ASSIGN_OR_RETURN(std::string text, ArgumentText(*known, value));
    values.emplace_back(known->name, std::move(text));
  }
  for (const McpArgument& argument : tool.arguments) {
    if (argument.is_required && ArgumentOf(values, argument.name).empty()) {
      return WrongArgument(argument.name, "is required");
    }
  }
  return values;
}

std::string TargetOf(const McpTool& tool, const Values& values) {
  std::string target(tool.target);
  for (const auto& [name, value] : values) {
    target += target.find('?') == target.npos ? '?' : '&';
    absl::StrAppendFormat(&target, "%s=%s", name, PercentEncode(value));
  }
  return target;
}

absl::StatusOr<int64_t> TimeArgument(const Values& values, std::string_view name,
                                     int64_t otherwise_ms) {
  const std::string_view text = ArgumentOf(values, name);
  if (text.empty()) return otherwise_ms;
  const absl::StatusOr<int64_t> time_ms = ParseTimeMs(text);
  return time_ms.ok() ? time_ms : WrongArgument(name, "must be Unix seconds or RFC 3339");
}

// Adds what is left out, so that the number of points is known.
absl::Status CompleteRange(int64_t now_ms, Values& values) {
  LOCKSTEP_ASSIGN_OR_RETURN(const int64_t start_ms, TimeArgument(values, "start", 0));
  LOCKSTEP_ASSIGN_OR_RETURN(const int64_t end_ms, TimeArgument(values, "end", now_ms));
  if (end_ms < start_ms) return WrongArgument("end", "is before \"start\"");
  // Both ends of time are farther apart than a signed number reaches.
  const uint64_t range_ms = static_cast<uint64_t>(end_ms) - static_cast<uint64_t>(start_ms);
  const auto default_step_ms =
      static_cast<int64_t>(std::max<uint64_t>(1000, range_ms / kDefaultPoints / 1000 * 1000));
  int64_t step_ms = default_step_ms;
  if (const std::string_view text = ArgumentOf(values, "step"); !text.empty()) {
    const auto step = ParseDuration(text);
    if (!step.ok() || step->count() < 1'000'000)
      return WrongArgument("step", "must be at least 0.001");
    step_ms = step->count() / 1'000'000;
  }
  if (range_ms / static_cast<uint64_t>(step_ms) >= kMostRangePoints) {
    return WrongArgument("step",
                         absl::StrFormat("gives more than %d points; it must be at least %d",
                                         kMostRangePoints, range_ms / kMostRangePoints / 1000 + 1));
  }
  if (ArgumentOf(values, "end").empty()) {
    values.emplace_back("end", absl::StrFormat("%.3f", static_cast<double>(end_ms) / 1000));
  }
  if (ArgumentOf(values, "step").empty()) {
    values.emplace_back("step", absl::StrFormat("%d", step_ms / 1000));
  }
  return absl::OkStatus();
}

McpToolResult ErrorResult(const McpFetched& fetched) {
  simdjson::dom::parser parser;
  element whole;
  std::string_view error;
  std::string text = fetched.body;
  if (parser.parse(fetched.body.data(), fetched.body.size()).get(whole) == SUCCESS &&
      whole["error"].get(error) == SUCCESS) {
    text = error;
  }
  if (text.empty()) text = absl::StrFormat("the server answered %d", fetched.status);
  return {Bounded(std::move(text), kMaxErrorBytes), "", true};
}

std::string ObjectWith(std::string_view key, std::string_view text) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.Field(key, text);
  json.EndObject();
  return out;
}

// An object, though the data may be a list.
std::string StructuredOf(element data) {
  std::string json = simdjson::minify(data);
  if (!data.is_object()) json = absl::StrFormat("{\"items\":%s}", json);
  if (json.size() <= kMaxStructuredBytes) return json;
  return ObjectWith("cut",
                    absl::StrFormat("the result has %d bytes, more than the limit of %d; ask "
                                    "for a shorter time, one job, or fewer series",
                                    json.size(), kMaxStructuredBytes));
}

McpToolResult ResultOf(const McpFetched& fetched) {
  simdjson::dom::parser parser;
  element whole, data, warnings;
  if (parser.parse(fetched.body.data(), fetched.body.size()).get(whole) != SUCCESS ||
      whole["data"].get(data) != SUCCESS) {
    return {"the response is not one of this API; is the URL that of a lockstep server?", "", true};
  }
  std::string text = CompactText(data);
  if (text.empty()) text = "(empty)\n";
  if (whole["warnings"].get(warnings) == SUCCESS) {
    text = absl::StrFormat("warnings: %s\n%s", simdjson::minify(warnings), text);
  }
  return {Bounded(std::move(text), kMaxTextBytes), StructuredOf(data), false};
}

McpToolResult LookUp(std::string_view search) {
  std::string text;
  if (search.empty()) {
    for (const CookbookSection& section : CookbookSections()) text += section.title + "\n";
  } else {
    for (const CookbookSection* section : SearchCookbook(search, kMostSections)) {
      absl::StrAppendFormat(&text, "# %s\n%s\n", section->title, section->text);
    }
    if (text.empty()) text = "No section has these words; look for others, or for all titles.";
  }
  text = Bounded(std::move(text), kMaxTextBytes);
  std::string structured = ObjectWith("text", text);
  return {std::move(text), std::move(structured), false};
}

std::string_view SchemaTypeOf(McpArgumentKind kind) {
  if (kind == kText) return R"("string")";
  return kind == kTime ? R"(["number","string"])" : R"("number")";
}

}  // namespace

std::span<const McpTool> McpTools() { return kTools; }

const McpTool* FindMcpTool(std::string_view name) {
  const auto found = std::ranges::find(kTools, name, &McpTool::name);
  return found == std::end(kTools) ? nullptr : found;
}

void WriteMcpTool(JsonWriter& json, const McpTool& tool) {
  json.BeginObject();
  json.Field("name", tool.name);
  json.Field("title", tool.title);
  json.Field("description", tool.description);
  json.Key("inputSchema");
  json.BeginObject();
  json.Field("type", "object");
  json.Key("properties");
  json.BeginObject();
  std::vector<std::string_view> required;
  for (const McpArgument& argument : tool.arguments) {
    json.Key(argument.name);
    json.BeginObject();
    json.Key("type");
    json.Raw() += SchemaTypeOf(argument.kind);
    json.Field("description", argument.description);
    json.EndObject();
    if (argument.is_required) required.push_back(argument.name);
  }
  json.EndObject();
  json.Field("required", required);
  json.Field("additionalProperties", false);
  json.EndObject();
  json.Key("annotations");
  json.BeginObject();
  json.Field("title", tool.title);
  json.Field("readOnlyHint", true);
  json.Field("destructiveHint", false);
  json.Field("idempotentHint", true);
  json.Field("openWorldHint", false);
  json.EndObject();
  json.EndObject();
}

absl::StatusOr<McpToolResult> CallMcpTool(const McpTool& tool, simdjson::dom::object arguments,
                                          const McpFetch& fetch, int64_t now_ms) {
  LOCKSTEP_ASSIGN_OR_RETURN(Values values, ReadArguments(tool, arguments));
  if (tool.action == McpAction::kCookbook) return LookUp(ArgumentOf(values, "search"));
  if (tool.action == McpAction::kRange) LOCKSTEP_RETURN_IF_ERROR(CompleteRange(now_ms, values));
  const McpFetched fetched = fetch(TargetOf(tool, values));
  if (fetched.status != 200) return ErrorResult(fetched);
  if (tool.action != McpAction::kFetchText) return ResultOf(fetched);
  std::string text = Bounded(fetched.body, kMaxTextBytes);
  std::string structured = ObjectWith("text", text);
  return McpToolResult{std::move(text), std::move(structured), false};
}

}  // namespace lockstep::api
