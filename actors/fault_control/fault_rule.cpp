#include "actors/fault_control/fault_rule.hpp"

#include "model/json/json_document.hpp"
#include "model/net/ip_address.hpp"
#include "model/text/suggestion.hpp"
#include "model/text/unicode.hpp"
#include "model/validation/object_reader.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace matchcloud::actors {

namespace {

using base::fault_kind;
using base::fault_point;
using base::fault_rule;
using model::json_kind;
using model::json_node;

constexpr std::array<std::string_view, 12> members{"kind",   "delay_ms", "probability", "every",
                                                   "first",  "once",     "header",      "game",
                                                   "client", "token",    "connections", "lasts_s"};

/// Limit for the nesting of objects and arrays.
constexpr std::size_t fault_rule_depth_limit = 4;

/// The sentence that follows the refusal of a name: the name that was probably meant, or else all
/// valid names.
template <class Names>
std::string instead(std::string_view name, const Names& names) {
  if (const auto close = model::closest_name(name, names); !close.empty())
    return "Did you mean `" + std::string{close} + "`?";
  std::string all;
  for (const auto each : names)
    all.append(all.empty() ? "" : ", ").append(each);
  return "Allowed: " + all + ".";
}

/// Reads a number of any size; `base::faults::check` decides whether it is in range.
std::optional<double> read_number(std::string_view digits) {
  double number = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  // A number beyond the range of a double is outside every range here, like infinity.
  if (end.ec == std::errc::result_out_of_range)
    return digits.starts_with('-') ? -HUGE_VAL : HUGE_VAL;
  return number;
}

std::chrono::microseconds as_time(double ms) {
  // Clamped, so that the conversion cannot overflow. The bounds lie outside the range that
  // `base::faults::check` accepts, so it still refuses what was clamped.
  return std::chrono::microseconds{std::llround(std::fmin(std::fmax(ms, -1), 1e12) * 1'000)};
}

/// Reads the members of one rule.
class rule_reader {
public:
  explicit rule_reader(const model::json_document& document)
      : document_{document}, reader_{document, "A rule", members} {}

  /// Returns the rule; `findings` says what is wrong with it.
  fault_rule read() {
    read_kind();
    const bool has_delay = reader_.has("delay_ms");
    reader_.member("delay_ms", [&](const json_node& node) { return read_delay(node); });
    reader_.member("probability", [&](const json_node& node) {
      return read_share("probability", "from 0 to 1", node, rule_.probability);
    });
    read_count("every", rule_.every);
    read_count("first", rule_.first);
    read_flag("once", rule_.once);
    read_flag("header", rule_.by_header);
    reader_.member("game", [&](const json_node& node) {
      return read_id("`game` must be the id of a game, a UUID.", node, rule_.game);
    });
    reader_.member("client", [&](const json_node& node) { return read_client(node); });
    reader_.member("token", [&](const json_node& node) {
      return read_id("`token` must be the id of a token, a UUID, not the token itself.", node,
                     rule_.token);
    });
    reader_.member("connections", [&](const json_node& node) {
      return read_share("connections", "above 0 and at most 1, such as 0.1 for a tenth", node,
                        rule_.connections);
    });
    read_lasts();
    if (rule_.kind != fault_kind::none && (rule_.kind == fault_kind::delay) != has_delay)
      reader_.add(has_delay
                      ? "`delay_ms` belongs to the kind \"delay\"."
                      : "`delay_ms` is missing. Add a number of milliseconds, or [least, most].");
    reader_.name_unknown();
    return rule_;
  }

  const std::string& findings() const noexcept { return reader_.findings(); }

private:
  void read_kind() {
    if (!reader_.has("kind"))
      return reader_.add("`kind` is missing. Add the kind of fault, such as \"error\".");
    reader_.member("kind", [this](const json_node& node) -> std::optional<fault_kind> {
      const auto text = node.kind == json_kind::string ? reader_.text(node) : std::string_view{};
      for (std::size_t i = 1; i < base::fault_kind_names.size(); ++i)
        if (base::fault_kind_names[i] == text) rule_.kind = static_cast<fault_kind>(i);
      if (rule_.kind != fault_kind::none) return rule_.kind;
      const std::span<const std::string_view> kinds{base::fault_kind_names};
      const auto shown = text.empty() ? std::string{} : ", but is " + model::quoted_excerpt(text);
      reader_.add("`kind` must be a kind of fault" + shown + ". " +
                  instead(text, kinds.subspan(1)));
      return std::nullopt;
    });
  }

  std::optional<bool> read_delay(const json_node& node) {
    std::vector<double> times;
    const auto add = [&](const json_node& each) {
      const auto ms =
          each.kind == json_kind::number ? read_number(reader_.text(each)) : std::nullopt;
      if (ms) times.push_back(*ms);
    };
    const bool is_pair = node.kind == json_kind::array && node.count == 2;
    if (is_pair) {
      const auto first = static_cast<std::uint32_t>(&node - &document_.root()) + 1;
      add(document_.node(first));
      add(document_.node(document_.node(first).next));
    } else {
      add(node);
    }
    if (times.size() != (is_pair ? 2U : 1U)) {
      reader_.add("`delay_ms` must be a number of milliseconds, or [least, most].");
      return std::nullopt;
    }
    rule_.least_delay = as_time(times.front());
    rule_.most_delay = as_time(times.back());
    return true;
  }

  std::optional<double> read_share(std::string_view name, std::string_view allowed,
                                   const json_node& node, double& into) {
    const auto number =
        node.kind == json_kind::number ? read_number(reader_.text(node)) : std::nullopt;
    if (number)
      into = *number;
    else
      reader_.add(
          std::string{"`"}.append(name).append("` must be a number ").append(allowed).append("."));
    return number;
  }

  std::optional<model::uuid> read_id(std::string_view allowed, const json_node& node,
                                     std::optional<base::fault_bytes>& into) {
    const auto id =
        node.kind == json_kind::string ? model::parse_uuid(reader_.text(node)) : std::nullopt;
    if (id)
      into = id->bytes;
    else
      reader_.add(std::string{allowed});
    return id;
  }

  std::optional<model::cidr> read_client(const json_node& node) {
    const auto block =
        node.kind == json_kind::string ? model::parse_cidr(reader_.text(node)) : std::nullopt;
    if (block)
      rule_.client = base::fault_network{block->network.bytes, block->prefix_length};
    else
      reader_.add("`client` must be an address or a block of addresses, such as \"192.0.2.7\" or "
                  "\"10.0.0.0/8\", without bits set after the prefix.");
    return block;
  }

  void read_lasts() {
    constexpr auto longest = static_cast<std::uint64_t>(base::fault_longest_time.count());
    constexpr model::integer_range times{1, longest, "a number of seconds from 1 to 86400"};
    const auto seconds = reader_.member(
        "lasts_s", [&](const json_node& node) { return reader_.integer("lasts_s", node, times); });
    if (seconds) rule_.lasts = std::chrono::seconds{*seconds};
  }

  void read_count(std::string_view name, std::uint64_t& into) {
    constexpr model::integer_range counts{1, std::numeric_limits<std::uint64_t>::max(),
                                          "a count from 1"};
    const auto count = reader_.member(
        name, [&](const json_node& node) { return reader_.integer(name, node, counts); });
    into = count.value_or(into);
  }

  void read_flag(std::string_view name, bool& into) {
    const auto flag =
        reader_.member(name, [&](const json_node& node) { return reader_.boolean(name, node); });
    into = flag.value_or(into);
  }

  const model::json_document& document_;
  model::object_reader reader_;
  fault_rule rule_{.kind = fault_kind::none};
};

/// In the form that `read_fault_rule` reads.
std::string shown(const base::fault_network& block) {
  const model::ip_address address{block.address};
  auto text = to_string(address);
  if (block.prefix_length == 128) return text;
  const int length = address.is_v4() ? block.prefix_length - 96 : block.prefix_length;
  return text.append("/").append(std::to_string(length));
}

void write_ms(model::json_writer& json, std::chrono::microseconds time) {
  std::string number;
  model::append_thousandths(number, static_cast<double>(time.count()) / 1'000);
  json.raw(number);
}

} // namespace

base::expected<fault_rule> read_fault_rule(fault_point at, std::string_view json) {
  const auto refuse = [at](const std::string& what) {
    return base::fail(base::errc::config_invalid, std::string{facts_of(at).name} + ": " + what);
  };
  if (json.size() > fault_rule_limit_bytes)
    return refuse("a rule can have at most " + std::to_string(fault_rule_limit_bytes) + " bytes.");
  const auto document = model::json_document::parse_object(json, fault_rule_depth_limit);
  if (!document)
    return refuse("a rule must be an object such as {\"kind\": \"error\", \"every\": 3}. " +
                  document.error().detail);
  rule_reader reader{*document};
  const auto rule = reader.read();
  if (!reader.findings().empty()) return refuse(reader.findings());
  if (auto fine = base::faults::check(at, rule); !fine) return tl::unexpected(fine.error());
  return rule;
}

void write_fault_rule(model::json_writer& json, const fault_rule& rule) {
  json.object().name("kind").text(name_of(rule.kind));
  if (rule.kind == fault_kind::delay) {
    json.name("delay_ms").array();
    write_ms(json, rule.least_delay);
    write_ms(json, rule.most_delay);
    json.end_array();
  }
  if (rule.probability != 1) {
    std::string number;
    model::append_shortest(number, rule.probability);
    json.name("probability").raw(number);
  }
  if (rule.every != 1) json.name("every").number(rule.every);
  if (rule.first != std::numeric_limits<std::uint64_t>::max())
    json.name("first").number(rule.first);
  if (rule.once) json.name("once").boolean(true);
  if (rule.by_header) json.name("header").boolean(true);
  if (rule.game) json.name("game").text(to_string(model::uuid{*rule.game}));
  if (rule.client) json.name("client").text(shown(*rule.client));
  if (rule.token) json.name("token").text(to_string(model::uuid{*rule.token}));
  if (rule.connections < 1) {
    std::string number;
    model::append_shortest(number, rule.connections);
    json.name("connections").raw(number);
  }
  if (rule.lasts != base::fault_usual_time)
    json.name("lasts_s").number(static_cast<std::uint64_t>(rule.lasts.count()));
  json.end_object();
}

void write_fault_status(model::json_writer& json, const base::fault_status& of,
                        base::steady_time now, bool reads_tokens) {
  const auto& facts = facts_of(of.point);
  json.object().name("point").text(facts.name).name("what").text(facts.sentence);
  json.name("group").text(facts.group).name("kinds").array();
  for (std::size_t i = 1; i < base::fault_kind_names.size(); ++i)
    if (facts.kinds.has(static_cast<fault_kind>(i))) json.text(base::fault_kind_names[i]);
  json.end_array().name("choose_by").array();
  for (std::size_t i = 0; i < base::fault_choice_names.size(); ++i)
    if (facts.knows.has(static_cast<base::fault_choice>(i))) json.text(base::fault_choice_names[i]);
  json.end_array().name("rule");
  if (of.rule)
    write_fault_rule(json, *of.rule);
  else
    json.null();
  json.name("passes").number(of.passes).name("hits").number(of.hits).name("heals_in_s");
  if (of.rule && of.ends != base::steady_time::max())
    json.number(std::chrono::ceil<std::chrono::seconds>(of.ends - now).count());
  else
    json.null();
  if (of.rule && of.rule->token && !reads_tokens)
    json.name("note").text("With auth = open, the data plane ignores tokens, so this rule never "
                           "hits its requests. Start the service with --auth required.");
  json.end_object();
}

base::error no_such_fault_point(std::string_view name) {
  std::array<std::string_view, base::fault_point_count> names;
  for (std::size_t i = 0; i < names.size(); ++i)
    names[i] = base::fault_points[i].name;
  return {base::errc::element_not_found,
          model::quoted_excerpt(name) + " is not a fault point. " + instead(name, names)};
}

} // namespace matchcloud::actors
