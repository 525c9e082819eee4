#include "model/lobbies/lobby_csv.hpp"

#include "model/records/csv_line.hpp"
#include "model/text/timestamp.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace matchcloud::model {

void csv_row_counter::add(std::string_view piece) noexcept {
  while (!piece.empty()) {
    const auto quote = piece.find('"');
    const auto stretch = piece.substr(0, quote);
    if (quoted_) {
      begun_ = true;
    } else if (!stretch.empty()) {
      ended_ += static_cast<std::uint64_t>(std::count(stretch.begin(), stretch.end(), '\n'));
      begun_ = stretch.back() != '\n';
    }
    if (quote == std::string_view::npos) return;
    quoted_ = !quoted_;
    begun_ = true;
    piece.remove_prefix(quote + 1);
  }
}

namespace {

constexpr std::string_view line_end = "\r\n";
constexpr std::size_t longest_number = std::numeric_limits<std::uint64_t>::digits10 + 1;
/// Room for start, stop and both uptimes, the commas before them, and the line end.
constexpr std::size_t longest_tail = 4 + 2 * timestamp_length + 2 * longest_number + 2;

/// Whether a spreadsheet treats a cell with this beginning as a formula, or drops its first
/// character and looks again.
bool begins_formula(std::string_view text) noexcept {
  constexpr std::string_view plain = "=+-@\t\r\n";
  if (text.empty()) return false;
  if (plain.find(text.front()) != plain.npos) return true;
  constexpr std::array<std::string_view, 4> full_width{"\xEF\xBC\x9D", "\xEF\xBC\x8B",
                                                       "\xEF\xBC\x8D", "\xEF\xBC\xA0"};
  return std::ranges::any_of(full_width, [&](auto each) { return text.starts_with(each); });
}

/// The text with an apostrophe before everything that could begin a formula.
std::string without_formulas(std::string_view text) {
  std::string out;
  bool begins = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (begins && begins_formula(text.substr(i))) out += '\'';
    // A spreadsheet may also drop quotes, if it did not see the cell before begin with one.
    begins = std::string_view{";\t\r\n"}.find(text[i]) != std::string_view::npos ||
             (begins && (text[i] == ' ' || text[i] == '"'));
    out += text[i];
  }
  return out;
}

/// Milliseconds since 1970 as an unsigned number; times before 1970 count as 0.
std::uint64_t ms_of(std::int64_t time) noexcept {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(time, 0));
}

/// The milliseconds of `span` that lie between `start` and `stop`.
std::uint64_t overlap(const time_span& span, std::uint64_t start, std::uint64_t stop) noexcept {
  const auto from = std::max(start, span.begin);
  const auto to = std::min(stop, span.end);
  return to > from ? to - from : 0;
}

char* put(char* to, std::uint64_t number) noexcept {
  return std::to_chars(to, to + longest_number, number).ptr;
}

} // namespace

std::string csv_beginning(csv_dialect as) {
  std::string beginning;
  if (as == csv_dialect::excel) beginning = byte_order_mark;
  return beginning.append(lobby_csv_header);
}

std::string csv_attribute_columns(const lobby_attributes& attributes,
                                  std::string_view namespace_name, std::string_view region_name,
                                  csv_dialect as) {
  std::string columns = to_string(attributes.namespace_id);
  const auto add = [&](std::string_view text) {
    columns += ',';
    if (as == csv_dialect::excel)
      append_csv_field(columns, without_formulas(text));
    else
      append_csv_field(columns, text);
  };
  add(namespace_name);
  add(attributes.region_id);
  add(region_name);
  add(attributes.tier);
  add(to_string(attributes.version_id));
  add(attributes.version_name);
  add(attributes.game_mode);
  return columns;
}

void append_lobby_csv(std::string& out, const history_lobby& lobby, const time_span& span,
                      std::int64_t snapshot_ts) {
  std::array<char, uuid_text_length + 1> id; // NOLINT(*-member-init): written whole
  *write_uuid(id.data(), lobby.lobby_id) = ',';

  std::array<char, longest_tail> tail; // NOLINT(*-member-init): the inner loop of exports
  auto* to = tail.data();
  const auto start = ms_of(lobby.times.start_ts);
  *to++ = ',';
  to = write_timestamp(to, lobby.times.start_ts);
  *to++ = ',';
  if (const auto& stop_ts = lobby.times.stop_ts) {
    to = write_timestamp(to, *stop_ts);
    *to++ = ',';
    to = put(to, ms_of(*stop_ts) - start);
  } else {
    *to++ = ',';
  }
  *to++ = ',';
  to = put(to, overlap(span, start, ms_of(lobby.times.stop_ts.value_or(snapshot_ts))));
  to = std::copy(line_end.begin(), line_end.end(), to);

  out.append(id.data(), id.size());
  out.append(*lobby.attribute_columns);
  out.append(tail.data(), static_cast<std::size_t>(to - tail.data()));
}

} // namespace matchcloud::model
