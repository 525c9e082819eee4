#include "store/exports/export_about.hpp"

#include "tests/store/exports/export_fixture.hpp"

#include <limits>

namespace matchcloud::store {

namespace {

TEST_CASE("what is said about an export reads back exactly, to the ends of the ranges") {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  for (const auto& span : {model::time_span{0, 0}, {0, most}, {most, most}, {most - 1, most}})
    for (const std::int64_t until : {std::int64_t{0}, std::numeric_limits<std::int64_t>::max()}) {
      for (const auto as : {model::csv_dialect::exact, model::csv_dialect::excel}) {
        const export_about about{{export_id_of(1), {export_id_of(2), span, as}, until}, most - 3};
        const auto text = render_about(about);
        const auto parsed = parse_about(text);
        INFO(text);
        REQUIRE(parsed.has_value());
        CHECK(*parsed == about);
        CHECK(text.size() < about_limit_bytes);
      }
    }
}

TEST_CASE("what differs from that in any way is refused") {
  const auto sound = render_about({facts_of(1), 5});
  const auto with = [&](const std::string& from, const std::string& to) {
    auto text = sound;
    REQUIRE(text.find(from) != std::string::npos);
    return text.replace(text.find(from), from.size(), to);
  };
  REQUIRE(parse_about(sound).has_value());
  for (const auto& text : {
           std::string{},
           std::string{"[]"},
           std::string{"{}"},
           sound + sound,
           sound.substr(0, sound.size() - 3),
           with("\"csv_bytes\":5", "\"csv_bytes\":5,\"more\":1"),
           with("\"csv_bytes\":5", "\"csv_bytes\":5,\"csv\":1"),
           with("\"csv_bytes\":5", "\"csv_bytes\":5,\"csv\":\"xls\""),
           with("\"csv_bytes\":5", "\"csv_bytes\":5,\"csv\":\"excel\",\"csv\":\"excel\""),
           with("\"csv_bytes\":5", "\"csv_bytes\":\"5\""),
           with("\"csv_bytes\":5", "\"csv_bytes\":-5"),
           with("\"csv_bytes\":5", "\"csv_bytes\":5.5"),
           with("\"csv_bytes\":5", "\"csv_bytes\":18446744073709551616"),
           with("\"csv_bytes\":5", "\"csv_bytes\":[5]"),
           with("\"csv_bytes\":5", "\"csv_size\":5"),
           with("\"csv_bytes\":5", "\"query_end\":18446744073709551615"), // repeated member
           with("\"keep_until_ts\":1000", "\"keep_until_ts\":9223372036854775808"),
           with("\"keep_until_ts\":1000", "\"keep_until_ts\":null"),
           with("\"query_end\":18446744073709551615",
                "\"query_end\":6"), // before the span's begin
           with("\"game_id\":\"e0", "\"game_id\":\"x0"),
           with("\"export_id\":\"e0", "\"export_id\":\"e"),
       }) {
    INFO(text);
    const auto parsed = parse_about(text);
    REQUIRE_FALSE(parsed.has_value());
    CHECK(parsed.error().code == base::errc::store_failed);
    CHECK_FALSE(parsed.error().detail.empty());
  }
}

} // namespace

} // namespace matchcloud::store
