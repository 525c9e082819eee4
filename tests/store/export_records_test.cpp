#include "store/export_records.hpp"
#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <array>
#include <limits>

namespace matchcloud::store {
namespace {

const std::string id_text = "00000000-0000-4000-8000-0000000000a1";

export_record record_of(std::int64_t generation) {
  export_record record;
  record.facts.export_id = *model::parse_uuid(id_text);
  record.generation = generation;
  return record;
}

TEST_CASE("an export's object is named after its id and how often it was written") {
  CHECK(object_of(record_of(1)).text() == "exports/" + id_text + "/1");
  CHECK(object_of(record_of(12)).text() == "exports/" + id_text + "/12");
  CHECK(object_of(record_of(1)).is_below(exports_folder()));
}

TEST_CASE("the name of an export's object is read back") {
  CHECK(rc::check([](const std::array<std::uint8_t, 16>& id) {
    export_record record;
    record.facts.export_id.bytes = id;
    record.generation =
        *rc::gen::inRange<std::int64_t>(1, std::numeric_limits<std::int64_t>::max());
    RC_ASSERT(read_export_name(object_of(record)) == record);
  }));
  const auto last = record_of(std::numeric_limits<std::int64_t>::max());
  CHECK(read_export_name(object_of(last)) == last);
}

TEST_CASE("what is not named exactly like an export is none") {
  const auto is_export = [](const std::string& text) {
    const auto name = object_name::parse(text);
    return name && read_export_name(*name);
  };
  CHECK(is_export("exports/" + id_text + "/1"));
  for (const auto* const generation :
       {"", "0", "-1", "+1", "01", "1.", "1a", "a", "1/1", "9223372036854775808"}) {
    CAPTURE(generation);
    CHECK_FALSE(is_export("exports/" + id_text + "/" + generation));
  }
  CHECK_FALSE(is_export("exports/" + id_text));
  CHECK_FALSE(is_export(id_text + "/1"));
  CHECK_FALSE(is_export("media/" + id_text + "/1"));
  CHECK_FALSE(is_export("exports/a/" + id_text + "/1"));
  CHECK_FALSE(is_export("exports/00000000-0000-4000-8000-0000000000A1/1"));
  CHECK_FALSE(is_export("exports/x/1"));
  CHECK_FALSE(is_export("exports/" + id_text + "0/1"));
  CHECK_FALSE(is_export("exports"));
}

} // namespace
} // namespace matchcloud::store
