// LinePrinter: prints a tree on one line and records the position of each node.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>

#include "query/promql/syntax/ast.h"

namespace lockstep::promql {

struct LineSpan {
  size_t start = 0;
  size_t size = 0;
};
using LineSpans = std::unordered_map<const Expr*, LineSpan>;

class LinePrinter {
 public:
  // Appends to `out`; `spans` may be null. Both must outlive the printer.
  LinePrinter(std::string& out, LineSpans* spans) : out_(out), spans_(spans) {}

  void Append(const Expr& expr);

 private:
  void AppendNode(const Expr& expr);
  void AppendLiteral(const NumberLiteral& literal);
  void AppendUnary(const UnaryExpr& unary);
  void AppendBinary(const BinaryExpr& binary);
  void AppendAggregate(const AggregateExpr& aggregate);
  void AppendCall(const Call& call);

  std::string& out_;
  LineSpans* const spans_;
  // The number literal that is the base of a power. A sign would bind less tightly than the power.
  const Expr* unsigned_base_ = nullptr;
};

}  // namespace lockstep::promql
