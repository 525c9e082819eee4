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
using namespace model::types;

/// Limit for the nesting of objects and arrays.
constexpr std::size_t fault_rule_depth_limit = 4;

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
  rule_reader(const model::json_document& document, std::span<const std::string_view> members)
      : document_{document}, reader_{document, "A rule", members} {}

  /// Returns the rule; `findings` says what is wrong with it.
  fault_rule read();
  const std::string& findings() const noexcept { return reader_.findings(); }

  // -- for the members --------------------------------------------------------

  void read_kind(std::string_view name) {
    if (!reader_.has(name))
      return reader_.add("`kind` is missing. Add the kind of fault, such as \"error\".");
    reader_.member(name, [this](const json_node& node) -> std::optional<fault_kind> {
      const auto text = node.kind == json_kind::string ? reader_.text(node) : std::string_view{};
      for (std::size_t i = 1; i < base::fault_kind_names.size(); ++i)
        if (base::fault_kind_names[i] == text) rule_.kind = static_cast<fault_kind>(i);
      if (rule_.kind != fault_kind::none) return rule_.kind;
      const std::span<const std::string_view> kinds{base::fault_kind_names};
      const auto shown = text.empty() ? std::string{} : ", but is " + model::quoted_excerpt(text);
      reader_.add("`kind` must be a kind of fault" + shown + ". " +
                  model::instead_of(text, kinds.subspan(1)));
      return std::nullopt;
    });
  }

  void read_delay(std::string_view name) {
    reader_.member(name, [this](const json_node& node) -> std::optional<bool> {
      std::vector<double> times;
      const auto add = [&](const json_node& each) {
        const auto ms =
            each.kind == json_kind::number ? read_number(reader_.text(each)) : std::nullopt;
        if (ms) times.push_back(*ms);
      };
      const bool is_pair = node.kind == json_kind::array && node.count == 2;
      if (is_pair)
        document_.for_each_in(node, add);
      else
        add(node);
      if (times.size() != (is_pair ? 2U : 1U)) {
        reader_.add("`delay_ms` must be a number of milliseconds, or [least, most].");
        return std::nullopt;
      }
      rule_.least_delay = as_time(times.front());
      rule_.most_delay = as_time(times.back());
      return true;
    });
  }

  /// Sets a member of the rule to what `parse` makes of the value; if it makes nothing, the value
  /// must be as `allowed` says.
  template <class Value, class Parse>
  void read_parsed(std::string_view name, Value fault_rule::*into, std::string_view allowed,
                   json_kind kind, Parse parse) {
    reader_.member(name, [&](const json_node& node) {
      auto value = node.kind == kind ? parse(reader_.text(node)) : decltype(parse("")){};
      if (value)
        rule_.*into = *value;
      else
        reader_.add("`" + std::string{name} + "` must be " + std::string{allowed} + ".");
      return value;
    });
  }

  void read_integer(std::string_view name, const model::integer_range& allowed, auto set) {
    const auto number = reader_.member(
        name, [&](const json_node& node) { return reader_.integer(name, node, allowed); });
    if (number) set(rule_, *number);
  }

  void read_flag(std::string_view name, bool fault_rule::*into) {
    const auto flag =
        reader_.member(name, [&](const json_node& node) { return reader_.boolean(name, node); });
    rule_.*into = flag.value_or(rule_.*into);
  }

private:
  const model::json_document& document_;
  model::object_reader reader_;
  fault_rule rule_{.kind = fault_kind::none};
};

/// A member of a rule: how it is documented, written and read.
template <class From, class Read>
struct rule_member : model::field<From> {
  Read read;

  constexpr rule_member(std::string_view its_name, model::schema_type its_type,
                        std::string_view its_meaning, From its_value, Read its_read)
      : model::field<From>{its_name, its_type, its_meaning, its_value}, read{its_read} {}
};

/// What a rule has in place of the usual value.
constexpr auto changed(auto member) {
  return [member](const fault_rule& of) {
    const auto& value = of.*member;
    return value == fault_rule{}.*member ? std::nullopt : std::optional{value};
  };
}

constexpr auto share_member(std::string_view name, model::schema_type type,
                            std::string_view meaning, double fault_rule::*member,
                            std::string_view allowed) {
  return rule_member{name, type, meaning, changed(member), [=](rule_reader& in) {
                       in.read_parsed(name, member, allowed, json_kind::number, read_number);
                     }};
}

constexpr auto count_member(std::string_view name, std::string_view meaning,
                            std::uint64_t fault_rule::*member) {
  return rule_member{
      name, maybe(positive), meaning, changed(member), [=](rule_reader& in) {
        in.read_integer(name, {1, std::numeric_limits<std::uint64_t>::max(), "a count from 1"},
                        [member](fault_rule& rule, std::uint64_t count) { rule.*member = count; });
      }};
}

constexpr auto flag_member(std::string_view name, std::string_view meaning,
                           bool fault_rule::*member) {
  return rule_member{name, maybe(flag), meaning, changed(member),
                     [=](rule_reader& in) { in.read_flag(name, member); }};
}

constexpr auto id_member(std::string_view name, std::string_view meaning,
                         std::optional<base::fault_bytes> fault_rule::*member,
                         std::string_view allowed) {
  return rule_member{name, maybe(uuid), meaning,
                     [=](const fault_rule& of) {
                       return of.*member ? std::optional{model::uuid{*(of.*member)}} : std::nullopt;
                     },
                     [=](rule_reader& in) {
                       in.read_parsed(name, member, allowed, json_kind::string,
                                      [](std::string_view text) {
                                        const auto id = model::parse_uuid(text);
                                        return id ? std::optional{id->bytes} : std::nullopt;
                                      });
                     }};
}

/// The longest time of a rule, in seconds.
constexpr auto longest_s = static_cast<std::uint64_t>(base::fault_longest_time.count());

std::optional<std::string> shown_block(const fault_rule& of) {
  if (!of.client) return std::nullopt;
  const model::ip_address address{of.client->address};
  auto text = to_string(address);
  if (of.client->prefix_length == 128) return text;
  const int length = address.is_v4() ? of.client->prefix_length - 96 : of.client->prefix_length;
  return text.append("/").append(std::to_string(length));
}

std::optional<base::fault_network> parse_block(std::string_view text) {
  const auto block = model::parse_cidr(text);
  if (!block) return std::nullopt;
  return base::fault_network{block->network.bytes, block->prefix_length};
}

std::optional<std::array<double, 2>> shown_delay(const fault_rule& of) {
  if (of.kind != fault_kind::delay) return std::nullopt;
  const auto ms = [](std::chrono::microseconds time) {
    return static_cast<double>(time.count()) / 1'000;
  };
  return std::array{ms(of.least_delay), ms(of.most_delay)};
}

/// The members of a rule, in the order in which they are read and written.
constexpr model::record rule_record{
    "FaultRule",
    rule_member{"kind", a("FaultKind"), "What happens.", &fault_rule::kind,
                [](rule_reader& in) { in.read_kind("kind"); }},
    rule_member{"delay_ms",
                maybe({R"("oneOf":[{"type":"number","minimum":0},{"type":"array",)"
                       R"("items":{"type":"number","minimum":0},"minItems":2,"maxItems":2}])"}),
                "Milliseconds, or a minimum and a maximum; only for `delay`.", shown_delay,
                [](rule_reader& in) { in.read_delay("delay_ms"); }},
    share_member("probability", maybe(share), "The share of passes that are hit at random.",
                 &fault_rule::probability, "a number from 0 to 1"),
    count_member("every", "With 3, the third, the sixth pass and so on are hit.",
                 &fault_rule::every),
    count_member("first", "The number of the last pass that may be hit.", &fault_rule::first),
    flag_member("once", "Whether only one pass is hit.", &fault_rule::once),
    flag_member("header", "Whether only requests whose `X-Fault` names the point are hit.",
                &fault_rule::by_header),
    id_member("game", "Only passes about this game are hit.", &fault_rule::game,
              "the id of a game, a UUID"),
    rule_member{"client", maybe(text),
                "Only clients of this address, or block such as `10.0.0.0/8`, are hit.",
                shown_block,
                [](rule_reader& in) {
                  in.read_parsed("client", &fault_rule::client,
                                 "an address or a block of addresses, such as \"192.0.2.7\" or "
                                 "\"10.0.0.0/8\", without bits set after the prefix",
                                 json_kind::string, parse_block);
                }},
    id_member("token", "Only requests that were admitted with the token of this id are hit.",
              &fault_rule::token, "the id of a token, a UUID, not the token itself"),
    share_member("connections", maybe({R"("type":"number","exclusiveMinimum":0,"maximum":1)"}),
                 "The share of connections that are hit; the seed chooses them.",
                 &fault_rule::connections,
                 "a number above 0 and at most 1, such as 0.1 for a tenth"),
    rule_member{"lasts_s",
                maybe({R"("type":"integer","minimum":1,"maximum":86400,"default":3600)"}),
                "Seconds after which the rule heals.",
                [](const fault_rule& of) {
                  return of.lasts == base::fault_usual_time ? std::nullopt
                                                            : std::optional{of.lasts.count()};
                },
                [](rule_reader& in) {
                  in.read_integer("lasts_s", {1, longest_s, "a number of seconds from 1 to 86400"},
                                  [](fault_rule& rule, std::uint64_t seconds) {
                                    rule.lasts = std::chrono::seconds{seconds};
                                  });
                }}};

constexpr auto rule_members =
    std::apply([](const auto&... each) { return std::array{each.name...}; }, rule_record.fields);

fault_rule rule_reader::read() {
  std::apply([this](const auto&... each) { (each.read(*this), ...); }, rule_record.fields);
  const bool has_delay = reader_.has("delay_ms");
  if (rule_.kind != fault_kind::none && (rule_.kind == fault_kind::delay) != has_delay)
    reader_.add(has_delay
                    ? "`delay_ms` belongs to the kind \"delay\"."
                    : "`delay_ms` is missing. Add a number of milliseconds, or [least, most].");
  reader_.name_unknown();
  return rule_;
}

template <class Choice>
std::vector<std::string_view> names_in(const auto& set, std::span<const std::string_view> names) {
  std::vector<std::string_view> chosen;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (set.has(static_cast<Choice>(i))) chosen.push_back(names[i]);
  return chosen;
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
  rule_reader reader{*document, rule_members};
  const auto rule = reader.read();
  if (!reader.findings().empty()) return refuse(reader.findings());
  if (auto fine = base::faults::check(at, rule); !fine) return tl::unexpected(fine.error());
  return rule;
}

model::named_schema fault_rule_schema() {
  return schema_of(rule_record);
}

void write_fault_rule(model::json_writer& json, const fault_rule& rule) {
  write_members(json.object(), rule, rule_record);
  json.end_object();
}

std::string fault_rule_json(const fault_rule& rule) {
  model::json_writer json;
  write_fault_rule(json, rule);
  return json.take();
}

std::vector<std::string_view> shown_point::kinds() const {
  return names_in<fault_kind>(facts_of(point).kinds, base::fault_kind_names);
}

std::vector<std::string_view> shown_point::choices() const {
  return names_in<base::fault_choice>(facts_of(point).knows, base::fault_choice_names);
}

std::optional<model::raw_json> shown_point::rule_json() const {
  if (!rule) return std::nullopt;
  return model::raw_json{fault_rule_json(*rule)};
}

std::optional<std::int64_t> shown_point::heals_in_s() const {
  if (!rule || ends == base::steady_time::max()) return std::nullopt;
  return std::chrono::ceil<std::chrono::seconds>(ends - now).count();
}

std::optional<std::string_view> shown_point::note() const {
  if (!rule || !rule->token || reads_tokens) return std::nullopt;
  return "With auth = open, the data plane ignores tokens, so this rule never hits its requests. "
         "Start the service with --auth required.";
}

base::error no_such_fault_point(std::string_view name) {
  std::array<std::string_view, base::fault_point_count> names;
  for (std::size_t i = 0; i < names.size(); ++i)
    names[i] = base::fault_points[i].name;
  return {base::errc::element_not_found,
          model::quoted_excerpt(name) + " is not a fault point. " + model::instead_of(name, names)};
}

} // namespace matchcloud::actors
