#include "import/traces/kineto/trace_pieces.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "import/traces/records/trace_limits.h"

namespace lockstep::traces {
namespace {

// Events unchanged, members as "name=value", then "! problems" if any; joined by " ; ".
std::string Cut(std::string_view file, size_t piece_bytes) {
  TraceProblems problems;
  TracePieces pieces(problems);
  std::string text;
  for (size_t at = 0; at < file.size(); at += piece_bytes) {
    pieces.Append(file.substr(at, piece_bytes));
    while (const auto piece = pieces.Next()) {
      EXPECT_EQ(file.substr(piece->offset, piece->json.size()), piece->json);
      if (!text.empty()) text += " ; ";
      if (!piece->member.empty()) text += std::string(piece->member) + "=";
      text += piece->json;
    }
  }
  pieces.Finish();
  const std::string found = problems.ToString();
  if (!found.empty()) text += (text.empty() ? "! " : " ; ! ") + found;
  return text;
}

struct PieceRow {
  std::string_view file;
  std::string_view expected;
};

void CheckRow(const PieceRow& row) {
  for (size_t piece_bytes = 1; piece_bytes <= row.file.size() + 1; ++piece_bytes) {
    ASSERT_EQ(Cut(row.file, piece_bytes), row.expected) << piece_bytes << ": " << row.file;
  }
}

TEST(TracePiecesTest, FindsEventsAndMembers) {
  for (const PieceRow& row : {
           PieceRow{R"({"a": 1, "traceEvents": [{"x":1}, {"y":{"z":[1,{}]}}], "b": "}]"})",
                    R"(a=1 ; {"x":1} ; {"y":{"z":[1,{}]}} ; b="}]")"},
           PieceRow{R"({"traceEvents":[]})", ""},
           PieceRow{R"([{"x":"]}"},{"y":"\"{\\"}])", R"({"x":"]}"} ; {"y":"\"{\\"})"},
           PieceRow{"{\n \"traceEvents\" : [\n {\n \"x\": 1 }\n ]\n ,\"n\":null\n}\n",
                    "{\n \"x\": 1 } ; n=null\n"},
           PieceRow{R"({"o":{"p":[1,2]},"l":[{"q":"]"}],"t":true,"traceEvents":[{}]})",
                    R"(o={"p":[1,2]} ; l=[{"q":"]"}] ; t=true ; {})"},
           // An array member with another name is not a list of events.
           PieceRow{R"({"traceevents":[{"x":1}]})", R"(traceevents=[{"x":1}])"},
       }) {
    CheckRow(row);
  }
}

TEST(TracePiecesTest, TellsWhatIsNotWhole) {
  for (const PieceRow& row : {
           PieceRow{"", "! 1 x empty file (first at byte 0)"},
           PieceRow{"  \n", "! 1 x empty file (first at byte 0)"},
           PieceRow{"x{}", "! 1 x no JSON object or array (first at byte 0)"},
           PieceRow{R"([{"x":1}, {"y)", R"({"x":1} ; ! 1 x torn last event (first at byte 10))"},
           PieceRow{R"([{"x":1})",
                    R"({"x":1} ; ! 1 x file ends before the trace does (first at byte 8))"},
       }) {
    CheckRow(row);
  }
}

// Events on separate lines are found again after damage.
TEST(TracePiecesTest, GoesOnBehindDamage) {
  for (const PieceRow& row : {
           PieceRow{"[\n{\"x\":\"torn\n{\"x\":2},\n {\"x\":3}\n]",
                    "{\"x\":2} ; {\"x\":3} ; ! 1 x damaged event (first at byte 2)"},
           PieceRow{"[\n{\"x\":1} garbage,\n {\"x\":3}\n]",
                    "{\"x\":1} ; {\"x\":3} ; ! 1 x damage between events (first at byte 10)"},
           PieceRow{"{\"a\" 1,\n{\"x\":3}\n]}",
                    "{\"x\":3} ; ! 1 x damaged member of the document (first at byte 5)"},
       }) {
    CheckRow(row);
  }
}

TEST(TracePiecesTest, LeavesOutWhatIsTooLong) {
  const std::string long_text(kMaxTraceEventBytes, 'x');
  const std::string events = "[{\"x\":\"" + long_text + "\"},\n{\"y\":1}]";
  EXPECT_EQ(Cut(events, 64 << 10), "{\"y\":1} ; ! 1 x event too long (first at byte 1)");

  const std::string long_member(kMaxTraceMemberBytes, 'x');
  const std::string members = "{\"a\":[\"" + long_member + "\"],\"b\":1,\"traceEvents\":[{}]}";
  EXPECT_EQ(Cut(members, 1 << 20),
            "b=1 ; {} ; ! 1 x member of the document too long (first at byte 5)");
}

// How far an overlong piece was read must not affect where the next one is searched.
TEST(TracePiecesTest, LeavesOutWhatIsTooLongInPiecesOfAnySize) {
  const std::string long_text(kMaxTraceEventBytes, 'x');
  const std::string events = "[{\"x\":\"" + long_text + "\",\"l\":{\n{\"y\":1}}},\n{\"z\":2}]";
  const std::string long_name = "{\"" + std::string(300, 'x') + "\\\n{\"y\":1}\n],\"b\":1}";
  const std::string long_member(kMaxTraceMemberBytes, 'x');
  const std::string members = "{\"a\":[\"" + long_member + "\n{\"y\":1}\n],\"b\":1}";
  for (const size_t piece_bytes : {size_t{1000}, size_t{64} << 10, size_t{32} << 20}) {
    EXPECT_EQ(Cut(events, piece_bytes),
              "{\"y\":1} ; {\"z\":2} ; ! 1 x event too long (first at byte 1), 1 x damage between "
              "events (first at byte 1048598)")
        << piece_bytes;
    EXPECT_EQ(Cut(long_name, piece_bytes),
              "{\"y\":1} ; b=1 ; ! 1 x damaged member of the document (first at byte 1)")
        << piece_bytes;
    EXPECT_EQ(Cut(members, piece_bytes),
              "{\"y\":1} ; b=1 ; ! 1 x member of the document too long (first at byte 5), 1 x "
              "damaged member of the document (first at byte 16777223)")
        << piece_bytes;
  }
}

}  // namespace
}  // namespace lockstep::traces
