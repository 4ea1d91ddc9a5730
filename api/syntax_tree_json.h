// The syntax tree of an expression as JSON, as /api/v1/parse_query answers: Prometheus' tree view reads it.
//
// One object per node, its keys in alphabetical order, "type" among them:
//   aggregation     expr grouping op param without
//   binaryExpr      bool lhs matching op rhs; "matching" is null unless both sides are vectors
//   call            args func{argTypes name returnType variadic}
//   matrixSelector  anchored matchers name offset range smoothed startOrEnd timestamp
//   subquery        expr offset range startOrEnd step timestamp
//   vectorSelector  anchored matchers name offset smoothed startOrEnd timestamp
//   numberLiteral val, parenExpr expr, stringLiteral val, unaryExpr expr op
// Times are milliseconds; those that arithmetic gives (`[5m * 2]`) are not known here and are 0.
#pragma once

#include "api/json_writer.h"
#include "query/promql/ast.h"

namespace lockstep::api {

void WriteSyntaxTree(JsonWriter& json, const promql::Expr& expr);

}  // namespace lockstep::api
