#include "base/decimal.hpp"
#include "model/access/shown_token.hpp"
#include "model/json/json_document.hpp"
#include "model/json/json_writer.hpp"
#include "model/text/joined.hpp"
#include "model/text/timestamp.hpp"
#include "model/validation/object_reader.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace matchcloud::model {

namespace {

constexpr std::size_t depth_limit = 4;
constexpr std::uint32_t quota_limit = 1'000'000'000;
constexpr std::uint32_t window_limit_s = 86'400;
/// 100 years.
constexpr std::uint64_t lifetime_limit_s = 3'153'600'000;

constexpr std::array<std::string_view, 7> members{
    "kind", "name", "game_id", "namespace_id", "expires", "expires_in_s", "limits"};
constexpr std::array<std::string_view, 1> rotation_members{"grace_s"};

/// Reads the members of a token that is to be created.
class token_reader {
public:
  token_reader(const json_document& document, std::int64_t now_ms)
      : document_{document}, reader_{document, "The token", members}, now_ms_{now_ms} {}

  new_token read() {
    read_kind();
    if (const auto name = string("name"))
      wanted_.name = *name;
    else if (!reader_.has("name"))
      reader_.add("`name` is missing. Say who will use the token.");
    read_scope("game_id", token_scope::game);
    read_scope("namespace_id", token_scope::game_namespace);
    read_expiry();
    read_limits();
    reader_.name_unknown();
    return wanted_;
  }

  const std::string& findings() const noexcept { return reader_.findings(); }

private:
  std::optional<std::string> string(std::string_view name) {
    return reader_.member(name, [&](const json_node& node) -> std::optional<std::string> {
      if (node.kind == json_kind::string) return std::string{reader_.text(node)};
      reader_.add(fmt::format("`{}` must be a string.", name));
      return std::nullopt;
    });
  }

  void read_kind() {
    const auto text = string("kind");
    const auto kind = text ? parse_token_kind(*text) : std::nullopt;
    if (kind) {
      wanted_.kind = *kind;
    } else if (text || !reader_.has("kind")) {
      reader_.add(fmt::format("`kind` must be one of {}.", joined(token_kind_names)));
    }
  }

  void read_scope(std::string_view name, token_scope of) {
    const auto text = string(name);
    if (!text) return;
    const auto id = parse_uuid(*text);
    if (!id) return reader_.add(fmt::format("`{}` must be a UUID of 36 characters.", name));
    if (scope_of(wanted_.kind) != of)
      return reader_.add(
          fmt::format("`{}` does not belong to the kind {}.", name, name_of(wanted_.kind)));
    wanted_.scope = *id;
  }

  void read_expiry() {
    if (reader_.has("expires") && reader_.has("expires_in_s"))
      reader_.add("Use `expires` or `expires_in_s`, not both.");
    if (const auto text = string("expires")) {
      wanted_.expires_ms = parse_timestamp(*text);
      if (!wanted_.expires_ms)
        reader_.add("`expires` must be a time such as 2027-01-31T00:00:00Z.");
    }
    constexpr integer_range seconds{1, lifetime_limit_s, "a number of seconds"};
    const auto in_s = reader_.member("expires_in_s", [&](const json_node& node) {
      return reader_.integer("expires_in_s", node, seconds);
    });
    if (in_s) wanted_.expires_ms = now_ms_ + static_cast<std::int64_t>(*in_s) * 1'000;
  }

  void read_limits() {
    const auto refuse = [&] {
      reader_.add(
          fmt::format("`limits` must be an object with `cheap` and `expensive`, each a string "
                      "{}.",
                      rate_policy_allowed));
      return std::nullopt;
    };
    reader_.member("limits", [&](const json_node& node) -> std::optional<bool> {
      if (node.kind != json_kind::object) return refuse();
      const auto first = static_cast<std::uint32_t>(&node - &document_.root()) + 1;
      for (auto at = first; at < node.next; at = document_.node(at).next) {
        const auto& each = document_.node(at);
        const auto name = document_.name(each);
        auto* const into = name == "cheap"       ? &wanted_.limits.cheap
                           : name == "expensive" ? &wanted_.limits.expensive
                                                 : nullptr;
        const auto policy = each.kind == json_kind::string && !each.repeated
                                ? parse_rate_policy(document_.text(each))
                                : std::nullopt;
        if (into == nullptr || !policy) return refuse();
        *into = policy;
      }
      return true;
    });
  }

  const json_document& document_;
  object_reader reader_;
  std::int64_t now_ms_;
  new_token wanted_;
};

} // namespace

base::expected<new_token> parse_new_token(std::string_view json, std::int64_t now_ms) {
  const auto document = json_document::parse_object(json, depth_limit);
  if (!document) return tl::unexpected(document.error());
  token_reader reader{*document, now_ms};
  auto wanted = reader.read();
  if (!reader.findings().empty()) return base::fail(base::errc::query_invalid, reader.findings());
  if (auto fine = check_new_token(wanted, now_ms); !fine) return tl::unexpected(fine.error());
  return wanted;
}

base::expected<std::int64_t> parse_rotation(std::string_view json) {
  if (json.empty()) return rotation_grace_ms;
  const auto document = json_document::parse_object(json, depth_limit);
  if (!document) return tl::unexpected(document.error());
  object_reader reader{*document, "The body", rotation_members};
  constexpr integer_range seconds{0, rotation_grace_limit_ms / 1'000, "a number of seconds"};
  const auto grace_s = reader.member(
      "grace_s", [&](const json_node& node) { return reader.integer("grace_s", node, seconds); });
  reader.name_unknown();
  if (!reader.findings().empty()) return base::fail(base::errc::query_invalid, reader.findings());
  return grace_s ? static_cast<std::int64_t>(*grace_s) * 1'000 : rotation_grace_ms;
}

std::optional<base::rate_policy> parse_rate_policy(std::string_view text) noexcept {
  if (text == "off") return base::rate_policy{0, 1};
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto quota = base::parse_decimal<std::uint32_t>(text.substr(0, slash));
  const auto window_s = base::parse_decimal<std::uint32_t>(text.substr(slash + 1));
  if (!quota || *quota == 0 || *quota > quota_limit) return std::nullopt;
  if (!window_s || *window_s == 0 || *window_s > window_limit_s) return std::nullopt;
  return base::rate_policy{*quota, *window_s};
}

std::string to_string(const base::rate_policy& policy) {
  if (policy.is_unlimited()) return "off";
  return fmt::format("{}/{}", policy.quota, policy.window_s);
}

std::string render_token(const access_token& one, std::int64_t now_ms) {
  return to_json(shown_token{one, now_ms});
}

std::string render_new_token(const access_token& one, std::string_view text, std::int64_t now_ms) {
  json_writer json;
  write_members(json.object().name("token").text(text), shown_token{one, now_ms});
  return json.end_object().take();
}

std::string render_tokens(const token_list& all, std::int64_t now_ms) {
  json_writer json;
  json.object().name("tokens").array();
  for (const auto& each : all.tokens())
    write(json, shown_token{each, now_ms});
  return json.end_array().name("revision").number(all.revision()).end_object().take();
}

} // namespace matchcloud::model
