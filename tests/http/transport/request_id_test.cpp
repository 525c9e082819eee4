#include "http/wire/request.hpp"

#include "http/wire/response.hpp"
#include "tests/catch.hpp"

#include <set>

namespace matchcloud::http {
namespace {

TEST_CASE("which ids of clients are used") {
  struct expectation {
    std::string id;
    bool sane;
  };
  const expectation table[] = {{"a", true},
                               {"0b9c-_.:/+=@Z", true},
                               {std::string(128, 'x'), true},
                               {std::string(129, 'x'), false},
                               {"", false},
                               {"a b", false},
                               {"a\tb", false},
                               {"a\"b", false},
                               {"a,b", false},
                               {"<script>", false},
                               {"a\\b", false},
                               {std::string("a\0b", 3), false},
                               {"\xC3\xA9", false},
                               {"a;b", false},
                               {"a%0d", false}};
  for (const auto& row : table) {
    CAPTURE(row.id);
    CHECK(is_sane_request_id(row.id) == row.sane);
  }
}

TEST_CASE("ids of one source differ, and differ from another's") {
  request_id_source first{0x0123456789abcdef};
  request_id_source second{0xfedcba9876543210};
  std::set<std::string> seen;
  for (int i = 0; i < 1'000; ++i) {
    CHECK(seen.insert(first.next()).second);
    CHECK(seen.insert(second.next()).second);
  }
  for (const auto& id : seen)
    CHECK(is_sane_request_id(id));
  CHECK(request_id_source{0xab}.next() == "00000000000000ab0000000000000001");
}

TEST_CASE("a request keeps its client's id if it is sane") {
  request_id_source source{1};
  request received;
  received.set(header::x_request_id, "from-client");
  source.assign(received);
  CHECK(received.id == "from-client");
  received.set(header::x_request_id, "no good");
  source.assign(received);
  CHECK(received.id == "00000000000000010000000000000001");
  request silent;
  silent.id = "of the previous request";
  source.assign(silent);
  CHECK(silent.id == "00000000000000010000000000000002");
}

} // namespace
} // namespace matchcloud::http
