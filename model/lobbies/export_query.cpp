#include "model/lobbies/export_query.hpp"

#include "model/json/json_document.hpp"
#include "model/text/exact_integer.hpp"
#include "model/text/suggestion.hpp"
#include "model/text/timestamp.hpp"
#include "model/validation/schema.hpp"
#include "model/validation/validation_messages.hpp"

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::model {

namespace {

/// Objects and arrays within one another, as in every other body.
constexpr std::size_t depth_limit = 64;
/// Unknown members that are named one by one; the rest is counted.
constexpr std::size_t named_unknown_limit = 16;

constexpr std::string_view body_name = "The body";
constexpr std::array<std::string_view, 2> member_names{"query_start", "query_end"};

constexpr integer_range unsigned_64_bit{0, std::numeric_limits<std::uint64_t>::max(),
                                        "an unsigned 64-bit integer"};

/// Takes the members of a body and says everything that is wrong with them.
class span_reader {
public:
  explicit span_reader(const json_document& document) : document_{document} {}

  base::expected<time_span> read() {
    const auto begin = member(member_names[0]);
    const auto end = member(member_names[1]);
    if (begin && end && *begin > *end) refuse_order(*begin, *end);
    name_unknown();
    if (!problems_.empty()) return base::fail(base::errc::query_invalid, std::move(problems_));
    return time_span{*begin, *end};
  }

private:
  /// Calls `each(node)` for each member of the body.
  template <class Each>
  void for_each_member(Each each) const {
    const auto end = document_.root().next;
    for (std::uint32_t at = 1; at < end; at = document_.node(at).next)
      each(document_.node(at));
  }

  /// The first member of that name. Empty where it is wrong, which is said.
  std::optional<std::uint64_t> member(std::string_view name) {
    const json_node* found = nullptr;
    bool repeated = false;
    for_each_member([&](const json_node& node) {
      if (document_.name(node) != name) return;
      repeated = repeated || node.repeated;
      if (!found) found = &node;
    });
    const auto value = found ? integer(name, *found) : std::nullopt;
    if (!found) add(required_message(quoted(name), value_type::integer, false));
    if (repeated) add(duplicate_member_message(body_name, name, {}, default_echo_limit));
    return value;
  }

  std::optional<std::uint64_t> integer(std::string_view name, const json_node& node) {
    const auto text = document_.text(node);
    if (node.kind == json_kind::null) {
      add(required_message(quoted(name), value_type::integer, true));
      return std::nullopt;
    }
    const auto value = node.kind == json_kind::number ? read_integer(text) : std::nullopt;
    if (!value) {
      add(wrong_type_message(quoted(name), {.type = value_type::integer}, document_, node,
                             default_echo_limit) +
          time_advice(node));
      return std::nullopt;
    }
    if (value->too_large || value->negative) {
      add(out_of_range_message(quoted(name), unsigned_64_bit.meaning, text,
                               {unsigned_64_bit.lowest, unsigned_64_bit.highest},
                               default_echo_limit));
      return std::nullopt;
    }
    return value->magnitude;
  }

  /// What to write instead of a time as text.
  std::string time_advice(const json_node& node) const {
    if (node.kind != json_kind::string) return {};
    const auto ms = parse_timestamp(document_.text(node));
    if (!ms) return {};
    return " As milliseconds since 1970 that time is " + std::to_string(*ms) + ".";
  }

  void refuse_order(std::uint64_t begin, std::uint64_t end) {
    add(quoted(member_names[0]) + " (" + std::to_string(begin) + ") is later than " +
        quoted(member_names[1]) + " (" + std::to_string(end) +
        "). Write the earlier time, in milliseconds since 1970, as " + quoted(member_names[0]) +
        ".");
  }

  /// Those that a member with another name may be meant to have.
  std::vector<std::string_view> absent_names() const {
    std::vector<std::string_view> absent{member_names.begin(), member_names.end()};
    for_each_member([&](const json_node& node) { std::erase(absent, document_.name(node)); });
    return absent;
  }

  void name_unknown() {
    std::size_t unknown = 0;
    for_each_member([&](const json_node& node) {
      const auto name = document_.name(node);
      if (node.repeated || name == member_names[0] || name == member_names[1]) return;
      if (++unknown > named_unknown_limit) return;
      auto message = unknown_member_message(body_name, name, default_echo_limit);
      append_suggestion(message, closest_name(name, absent_names()));
      append_known_names(message, member_names, member_names.size());
      add(message);
    });
    if (unknown > named_unknown_limit)
      add("It has " + std::to_string(unknown - named_unknown_limit) +
          " further members that are not known.");
  }

  void add(std::string_view sentence) {
    if (!problems_.empty()) problems_ += ' ';
    problems_ += sentence;
  }

  const json_document& document_;
  std::string problems_;
};

} // namespace

base::expected<time_span> read_export_span(std::string_view body) {
  const auto document = json_document::parse_object(body, depth_limit);
  if (!document) return tl::unexpected(document.error());
  return span_reader{*document}.read();
}

} // namespace matchcloud::model
