// Properties: no input crashes the reader of lobby lines; the lines, their lobbies and findings are
// the same however the bytes are split; an accepted lobby is valid, and the same where members are
// ignored; and a finding has a message.
#include "model/lobbies/lobby.hpp"
#include "model/text/catalog_names.hpp"
#include "model/text/timestamp.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using namespace matchcloud::model;

namespace {

void require(bool law) {
  if (!law) std::abort();
}

using reading = std::pair<std::uint64_t, std::variant<lobby, line_finding>>;

void check(const lobby& taken) {
  require(is_identifier(taken.attributes.region_id) && is_identifier(taken.attributes.tier));
  require(is_name(taken.attributes.version_name) && is_name(taken.attributes.game_mode));
  const auto& times = taken.times;
  require(times.start_ts >= 0 && times.start_ts <= timestamp_limit_ms);
  require(!times.stop_ts || *times.stop_ts >= times.start_ts);
  require(parse_timestamp(format_timestamp(times.start_ts)) == times.start_ts);
  require(duration_class(times) >= running_class && duration_class(times) < 48);
}

void take(std::vector<reading>& into, lobby_line_reader& reader, const input_line& line) {
  require(line.too_long || !line.text.empty());
  lobby found;
  if (auto finding = reader.read(line, found)) {
    require(!finding->message.empty());
    require(find_malformed_utf8(finding->message) == std::string_view::npos);
    into.emplace_back(line.number, *std::move(finding));
    return;
  }
  check(found);
  into.emplace_back(line.number, std::move(found));
}

/// Reads `bytes` in blocks of `block` bytes.
std::vector<reading> read(const std::string& bytes, std::size_t block,
                          std::vector<std::string> ignored = {}) {
  std::vector<reading> all;
  lobby_line_reader reader{std::move(ignored)};
  line_splitter splitter;
  for (std::size_t at = 0; at < bytes.size(); at += block) {
    auto part = bytes.substr(at, block);
    splitter.feed(part);
    while (const auto line = splitter.next())
      take(all, reader, *line);
  }
  if (const auto line = splitter.last()) take(all, reader, *line);
  return all;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text{reinterpret_cast<const char*>(bytes), size};
  const auto whole = read(text, std::max<std::size_t>(1, size));
  require(whole == read(text, 1 + size % 13));
  for (std::size_t i = 1; i < whole.size(); ++i)
    require(whole[i - 1].first < whole[i].first);
  const auto lenient = read(text, std::max<std::size_t>(1, size), {"a", "date", "@timestamp"});
  require(lenient.size() == whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i)
    if (std::holds_alternative<lobby>(whole[i].second)) require(lenient[i] == whole[i]);
  return 0;
}
