#include "model/lobbies/lobby_csv.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <string>
#include <string_view>
#include <vector>

namespace {

using matchcloud::model::csv_row_counter;

std::uint64_t rows_of(std::string_view text) {
  csv_row_counter counter;
  counter.add(text);
  return counter.rows();
}

/// A field in RFC 4180 notation.
std::string written(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string text = "\"";
  for (const char c : field)
    text.append(c == '"' ? 2 : 1, c);
  return text + "\"";
}

} // namespace

TEST_CASE("rows end with a line end outside quotes") {
  CHECK(rows_of("") == 0);
  CHECK(rows_of("a,b\r\n") == 1);
  CHECK(rows_of("a,b\r\nc,d\r\n") == 2);
  CHECK(rows_of("a,\"b\r\nc\"\r\n\"\n\n\",\r\n") == 2);
  CHECK(rows_of("\"say \"\"x\r\n\"\"\"\r\n") == 1);
  CHECK(rows_of("\"\"\r\n\"\"\r\n") == 2);
}

TEST_CASE("a row that has begun counts before its line end comes") {
  CHECK(rows_of("a") == 1);
  CHECK(rows_of("a\r\nb") == 2);
  CHECK(rows_of("\"") == 1);
  CHECK(rows_of("a\r\n\"x\r\n") == 2);
  csv_row_counter counter;
  counter.add("a\r");
  CHECK(counter.rows() == 1);
  counter.add("\n");
  CHECK(counter.rows() == 1);
  counter.add("\"");
  CHECK(counter.rows() == 2);
}

TEST_CASE("property: rows are counted whatever is in the fields and wherever pieces are cut") {
  REQUIRE(rc::check([] {
    const auto field =
        rc::gen::container<std::string>(rc::gen::element('"', ',', '\r', '\n', 'a', ' ', '\xF0'));
    const auto rows = *rc::gen::container<std::vector<std::vector<std::string>>>(
        rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(field)));
    std::string text;
    for (const auto& row : rows) {
      for (std::size_t i = 0; i < row.size(); ++i)
        text.append(i == 0 ? "" : ",").append(written(row[i]));
      text += "\r\n";
    }
    const auto sizes = *rc::gen::nonEmpty(
        rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(1, 9)));
    csv_row_counter counter;
    std::size_t turn = 0;
    for (std::size_t at = 0; at < text.size(); at += sizes[turn++ % sizes.size()]) {
      counter.add(std::string_view{text}.substr(at, sizes[turn % sizes.size()]));
      counter.add({});
    }
    RC_ASSERT(counter.rows() == rows.size());
  }));
}
