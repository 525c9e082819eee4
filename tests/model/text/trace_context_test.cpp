#include "model/text/trace_context.hpp"

#include "tests/catch.hpp"

namespace matchcloud::model {
namespace {

TEST_CASE("a trace id is read from a traceparent, and from nothing else") {
  CHECK(trace_id_of("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01") ==
        "0af7651916cd43dd8448eb211c80319c");
  // A later version may have more behind it.
  CHECK(trace_id_of("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more") ==
        "0af7651916cd43dd8448eb211c80319c");
  for (const auto* wrong :
       {"", "00", "00-0af7651916cd43dd8448eb211c80319c", "00-0af7651916cd43dd8448eb211c80319c0-b7",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c8031\"x-b7ad6b7169203331-01"})
    CHECK(trace_id_of(wrong).empty());
}

TEST_CASE("a request that is made for another is of its trace and has a span of its own") {
  CHECK(next_trace_parent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", 0xfe) ==
        "00-0af7651916cd43dd8448eb211c80319c-00000000000000fe-01");
  CHECK(next_trace_parent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331", ~0ULL) ==
        "00-0af7651916cd43dd8448eb211c80319c-ffffffffffffffff-00");
}

} // namespace
} // namespace matchcloud::model
