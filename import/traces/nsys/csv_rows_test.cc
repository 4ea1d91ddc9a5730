#include "import/traces/nsys/csv_rows.h"

#include <gtest/gtest.h>

#include "import/traces/records/trace_limits.h"

namespace lockstep::traces {
namespace {

// Rows as "cell|cell@offset", joined by " ; ", then "! problems".
std::string RowsOf(std::string_view file, size_t piece_bytes) {
  TraceProblems problems;
  CsvRows rows(problems);
  std::string text;
  const auto add = [&](const CsvRow& row) {
    if (!text.empty()) text += " ; ";
    for (size_t i = 0; i < row.cells.size(); ++i) text += (i > 0 ? "|" : "") + row.cells[i];
    text += "@" + std::to_string(row.offset);
  };
  for (size_t at = 0; at < file.size(); at += piece_bytes) {
    rows.Append(file.substr(at, piece_bytes));
    while (const auto row = rows.Next()) add(*row);
  }
  if (const auto row = rows.Finish()) add(*row);
  const std::string found = problems.ToString();
  return found.empty() ? text : text + " ! " + found;
}

struct CsvCase {
  std::string_view file;
  std::string_view expected;
};

TEST(CsvRowsTest, CutsRows) {
  for (const CsvCase& row : {
           CsvCase{"", ""},
           CsvCase{"a,b\nc,d\n", "a|b@0 ; c|d@4"},
           CsvCase{"a,b\r\nc,d", "a|b@0 ; c|d@5"},
           CsvCase{"a,\"b,c\"\n", "a|b,c@0"},
           CsvCase{"\"say \"\"so\"\"\",1\n", "say \"so\"|1@0"},
           CsvCase{"\"two\nlines\",1\r\nx\n", "two\nlines|1@0 ; x@15"},
           CsvCase{",\n\n", "|@0 ; @2"},
           CsvCase{"f<\"x\">,1\n", "f<\"x\">|1@0"},
           CsvCase{"a\n\"open,1\n", "a@0 ! 1 x row that ends within quotes (first at byte 2)"},
       }) {
    for (size_t piece_bytes = 1; piece_bytes <= row.file.size() + 1; ++piece_bytes) {
      ASSERT_EQ(RowsOf(row.file, piece_bytes), row.expected) << row.file;
    }
  }
}

TEST(CsvRowsTest, LeavesOutARowThatIsTooLong) {
  const std::string file = "a,1\n\"" + std::string(kMaxTableRowBytes, 'x') + "\nb,2\n";
  EXPECT_EQ(RowsOf(file, 1000), "a|1@0 ; b|2@" + std::to_string(6 + kMaxTableRowBytes) +
                                    " ! 1 x row too long (first at byte 4)");
}

}  // namespace
}  // namespace lockstep::traces
