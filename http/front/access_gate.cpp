#include "http/front/access_gate.hpp"

#include "base/crypto/sha256.hpp"
#include "http/transport/shared_bounds.hpp"
#include "http/wire/header_characters.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace matchcloud::http {

namespace {

using base::errc;
using model::access_token;

/// What a request without a valid token costs its address, in requests.
constexpr std::uint32_t refused_token_cost = 10;

constexpr std::size_t index_of(cost_class of) noexcept {
  return static_cast<std::size_t>(of);
}

/// The bytes that name the subject of a limit: its kind, the cost class, then an address, a token's
/// id or both.
class subject_name {
public:
  subject_name(limited_subject whose, cost_class of) noexcept {
    bytes_[size_++] = static_cast<std::uint8_t>(whose);
    bytes_[size_++] = static_cast<std::uint8_t>(of);
  }
  subject_name& add(std::span<const std::uint8_t, 16> id) noexcept {
    std::copy(id.begin(), id.end(), bytes_.begin() + size_);
    size_ += id.size();
    return *this;
  }
  std::span<const std::uint8_t> bytes() const noexcept { return {bytes_.data(), size_}; }

private:
  std::array<std::uint8_t, 34> bytes_{};
  std::size_t size_ = 0;
};

/// The credentials of `Authorization: Bearer`, whatever the case of the scheme.
std::optional<std::string_view> bearer_of(std::string_view authorization) noexcept {
  constexpr std::string_view scheme = "bearer";
  if (!equal_ignoring_case(authorization.substr(0, scheme.size()), scheme)) return std::nullopt;
  authorization.remove_prefix(scheme.size());
  const auto begin = authorization.find_first_not_of(' ');
  if (begin == 0 || begin == std::string_view::npos) return std::nullopt;
  return authorization.substr(begin);
}

/// The digest of a caller's token, which is computed once.
const base::sha256_digest& digest_of(caller_facts& by, std::string_view token) {
  if (!by.token_digest) by.token_digest = base::sha256(token);
  return *by.token_digest;
}

refused_request refuse_token(const operation_row& row, errc code, std::string detail) {
  // RFC 6750 section 3.1: a request without a token learns only the scheme.
  std::string header = "WWW-Authenticate: Bearer realm=\"matchcloud\"";
  if (code == errc::not_permitted)
    header += ", error=\"insufficient_scope\"";
  else if (code != errc::token_missing)
    header += ", error=\"invalid_token\", error_description=\"" +
              std::string{base::describe(code).title} + "\"";
  return {row.id, {code, std::move(detail)}, header + "\r\n"};
}

refused_request unreachable_store(const operation_row& row, std::string detail) {
  return {row.id, {errc::store_failed, std::move(detail), true}, {}};
}

/// Refuses a text that is no known token.
tl::unexpected<refused_request> refuse_unknown(const operation_row& row, std::string_view text) {
  const auto kind = model::check_token_text(text);
  if (kind)
    return tl::unexpected(refuse_token(row, errc::token_unknown,
                                       "This token is unknown. It may belong to another service "
                                       "or have been removed. Use a token of this service."));
  const auto* why = kind.error() == model::token_defect::form
                        ? "This is not one of this service's tokens, which look like mc_KIND_ "
                          "followed by 49 letters and digits."
                        : "The token's checksum is wrong. It was mistyped, or part of it is "
                          "missing. Copy it again.";
  return tl::unexpected(refuse_token(row, errc::token_malformed, why));
}

/// The limit of a /48 network, where an address has the limit `policy`.
base::rate_policy network_policy(base::rate_policy policy) noexcept {
  constexpr std::uint32_t width{shared_bounds::network_width};
  policy.quota = std::min(policy.quota, UINT32_MAX / width) * width;
  return policy;
}

std::uint32_t units_of(std::uint64_t bytes) noexcept {
  constexpr std::uint64_t most = 1U << 30U; // beyond any quota
  return static_cast<std::uint32_t>(std::min(bytes / access_gate::bytes_per_unit, most));
}

/// Tells a client over its limit that its request counts as several.
std::string weight_of(std::uint32_t units) {
  if (units == 1) return {};
  return " This request counts as " + std::to_string(units) + " because its body is large.";
}

std::string seconds_up(std::chrono::nanoseconds time) {
  return std::to_string(
      std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(time).count()));
}

} // namespace

access_gate::access_gate(std::shared_ptr<const front_settings> settings,
                         std::shared_ptr<base::rate_limit_table> limits, transport_metrics* metrics,
                         const base::clock& clock)
    : settings_{std::move(settings)},
      limits_{std::move(limits)},
      metrics_{metrics},
      clock_{&clock} {}

tl::expected<route, refused_request> access_gate::admit(const request& head, caller_facts& by,
                                                        std::uint64_t body_bytes) {
  auto found = find_operation(head, *settings_, catalog_.get());
  const auto client = client_of(head, by);
  const bool counts = limits_ && !std::exchange(by.is_counted, true);
  const bool limited = counts && is_limited(head, client);
  const auto now = counts ? clock_->now() : base::steady_time{};
  const auto& row = found ? *found->row : row_of(found.error().which);
  const auto units = row.body == body_kind::json ? 1 + units_of(body_bytes) : 1;
  // The size of a body in chunks is known only now.
  if (limits_ && !counts && units > by.counted_units && by.counted_units > 0)
    charge(head, by, row.cost, units - by.counted_units);
  by.counted_units = units;
  if (limited) {
    // A request that matches no operation costs as much as a cheap one.
    const bool leads = found && head.method != method::options;
    auto free = count_address(head, by, leads ? row.cost : cost_class::cheap, client, units, now);
    if (!free) {
      free.error().which = row.id;
      return tl::unexpected(std::move(free).error());
    }
  }
  if (!found) return found;
  found->client = client;
  if (head.method == method::options || !reads_token(row)) return found;
  if (waits_for_store_)
    return refuse(unreachable_store(row, "The service is starting, and its store is out of reach. "
                                         "Try again later."));
  if (!head.has(header::authorization)) {
    if (!needs_token(row, head, client)) return found;
    if (limited) punish(client, now);
    return refuse(refuse_token(row, errc::token_missing,
                               "This operation needs " + describe(row.allowed) +
                                   ". Send it as Authorization: Bearer mc_.."));
  }
  const auto token = find_token(row, head, by);
  if (!token) {
    if (limited) punish(client, now);
    return refuse(token.error());
  }
  found->token = *token;
  by.token_id = (*token)->token_id;
  if (auto in_scope = check_scope(*found); !in_scope) return refuse(std::move(in_scope).error());
  if (!counts) return found;
  auto free = count_token(head, by, *found, units, now);
  if (free) return found;
  free.error().which = row.id;
  return tl::unexpected(std::move(free).error());
}

tl::expected<void, refused_request> access_gate::admit_asterisk(const request& head,
                                                                caller_facts& by) {
  const auto client = client_of(head, by);
  if (!limits_ || std::exchange(by.is_counted, true) || !is_limited(head, client)) return {};
  return count_address(head, by, cost_class::cheap, client, 1, clock_->now());
}

head_verdict access_gate::judge(const request& head, caller_facts& by, std::uint64_t length) {
  if (head.target == "*") return &row_of(operation::unmatched);
  const auto refuse_with_cors = [&](refused_request what) {
    what.headers += cors_headers_of(row_of(what.which), head, *settings_);
    return tl::unexpected(std::move(what));
  };
  auto where = admit(head, by, length);
  if (!where) return refuse_with_cors(std::move(where).error());
  if (auto why = check_body(*where->row, head, length))
    return refuse_with_cors({where->row->id, *std::move(why)});
  return where->row;
}

model::ip_address access_gate::client_of(const request& head, caller_facts& by) {
  // The transport asks for the sake of fairness, and the front again.
  if (!by.client)
    by.client = client_address(head.peer, head.get(header::x_forwarded_for),
                               head.get(header::forwarded), settings_->proxies);
  return *by.client;
}

std::uint64_t access_gate::token_key(const request& head, caller_facts& by) {
  const auto text = bearer_of(head.get(header::authorization));
  if (!text || text->size() > model::token_length_limit || !limits_) return 0;
  const auto found = tokens_->find(digest_of(by, *text));
  if (found.token == nullptr) return 0;
  subject_name name{limited_subject::token, cost_class::cheap};
  name.add(found.token->token_id.bytes);
  if (found.token->what.kind == model::token_kind::player)
    name.add(prefix_of(client_of(head, by), settings_->access.ipv6_client_prefix).bytes);
  return limits_->hash(name.bytes());
}

// -- tokens -------------------------------------------------------------------

bool access_gate::reads_token(const operation_row& row) const noexcept {
  if (row.anonymous == anonymous_access::yes) return false;
  return row.plane == plane::ops || settings_->access.requires_tokens;
}

bool access_gate::needs_token(const operation_row& row, const request& head,
                              const model::ip_address& client) const noexcept {
  const auto& access = settings_->access;
  if (row.plane == plane::data)
    return row.anonymous == anonymous_access::no || !access.anonymous_regions;
  // A client certificate of ops-client-ca has the rights of an admin token.
  if (head.certificate_subject) return false;
  const bool is_local = head.peer.is_loopback() && client.is_loopback() && !head.through_proxy;
  return !is_local || access.ops_requires_tokens ||
         (row.needs_token_on_loopback && access.requires_tokens);
}

tl::expected<const access_token*, refused_request>
access_gate::find_token(const operation_row& row, const request& head, caller_facts& by) {
  const auto refuse = [&](errc code, std::string detail) {
    return tl::unexpected(refuse_token(row, code, std::move(detail)));
  };
  const auto text = bearer_of(head.get(header::authorization));
  if (!text)
    return refuse(errc::token_malformed,
                  "The Authorization header is malformed. Send Authorization: Bearer mc_..");
  if (settings_->store.contact && settings_->store.has_stale_tokens(clock_->now()))
    return tl::unexpected(unreachable_store(
        row, "The token store has been out of reach for too long to tell which tokens are still "
             "valid. Try again later."));
  // A token that is found is well-formed. The form matters only where none is found.
  const bool may_be_one = text->size() <= model::token_length_limit;
  const auto found = may_be_one ? tokens_->find(digest_of(by, *text)) : model::token_list::match{};
  if (found.token == nullptr) return refuse_unknown(row, *text);
  const auto now_ms = clock_->unix_ms();
  switch (found.token->state(now_ms)) {
  case model::token_state::expired:
    return refuse(errc::token_expired, "The token has expired. Request a new one.");
  case model::token_state::revoked:
    return refuse(errc::token_revoked, "The token was revoked. Request a new one.");
  case model::token_state::active: break;
  }
  if (found.is_former && found.token->former_until_ms <= now_ms)
    return refuse(errc::token_revoked, "The token was replaced by a new one. Use the new one.");
  tokens_->note_use(*found.token, now_ms);
  return found.token;
}

access_gate::verdict access_gate::check_scope(route& where) const {
  const auto& row = *where.row;
  const auto& what = where.token->what;
  const auto refuse = [&](std::string detail) {
    return tl::unexpected(refuse_token(row, errc::not_permitted, std::move(detail)));
  };
  if (!row.allowed.has(what.kind))
    return refuse("This operation needs " + describe(row.allowed) +
                  ", but the kind of the token sent is " + std::string{name_of(what.kind)} + ".");
  // The answer is the same whether or not the game exists.
  if (scope_of(what.kind) == model::token_scope::game && row.names_game &&
      (where.id = model::parse_uuid(where.parameters[0])) != what.scope)
    return refuse("The token is for another game. Use a token of this game.");
  return {};
}

// -- rate limits --------------------------------------------------------------

bool access_gate::is_limited(const request& head, const model::ip_address& client) const noexcept {
  // A client that a proxy names is limited even if the name cannot be parsed: it would otherwise
  // have no limit.
  const bool names_client = head.has(header::x_forwarded_for) || head.has(header::forwarded);
  if (names_client && is_trusted(head.peer, settings_->proxies)) return true;
  return is_limited(client);
}

bool access_gate::is_limited(const model::ip_address& client) const noexcept {
  return (settings_->access.limits_loopback || !client.is_loopback()) &&
         !is_trusted(client, settings_->proxies);
}

access_gate::verdict access_gate::count(const request& head, caller_facts& by, cost_class cost,
                                        std::uint32_t units, limited_subject whose,
                                        std::uint64_t subject, const base::rate_policy& policy,
                                        base::steady_time now) {
  const auto taken = limits_->consume(subject, policy, units, now);
  if (taken.is_allowed) {
    if (taken.remaining < policy.quota / 2) by.is_noisy = true;
    return {};
  }
  by.is_over_limit = !is_trusted(head.peer, settings_->proxies);
  const auto of = index_of(cost);
  if (metrics_ != nullptr) metrics_->rate_limited[static_cast<std::size_t>(whose)][of].add();
  const auto subject_text = limited_subject_names[static_cast<std::size_t>(whose)];
  const auto name = (taken.is_shared ? "shared-" : "") + std::string{subject_text} + "-" +
                    std::string{cost_class_names[of]};
  const auto wait_s = seconds_up(taken.retry_after);
  const auto limit = std::to_string(
      taken.is_shared ? std::max(1U, policy.quota / base::rate_limit_table::shared_part)
                      : policy.quota);
  refused_request refused{
      operation::unmatched,
      {errc::rate_limited, "The " + std::string{subject_text} + " is over its limit of " + limit +
                               " such requests in " + std::to_string(policy.window_s) + " s." +
                               weight_of(units) + " Retry in " + wait_s + " s."},
      "Retry-After: " + wait_s + "\r\nRateLimit-Policy: \"" + name + "\";q=" + limit +
          ";w=" + std::to_string(policy.window_s) + "\r\nRateLimit: \"" + name +
          "\";r=" + std::to_string(taken.remaining) + ";t=" + wait_s + "\r\n",
      name};
  return tl::unexpected(std::move(refused));
}

template <class Take>
bool access_gate::take_each(cost_class cost, const model::ip_address& client, Take&& take) const {
  const auto& policy = settings_->access.per_address[index_of(cost)];
  const auto subject = [&](limited_subject whose, std::size_t prefix) {
    return limits_->hash(subject_name{whose, cost}.add(prefix_of(client, prefix).bytes).bytes());
  };
  using enum limited_subject;
  return take(address, subject(address, settings_->access.ipv6_client_prefix), policy) &&
         (client.is_v4() || take(network, subject(network, shared_bounds::network_prefix_length),
                                 network_policy(policy)));
}

access_gate::verdict access_gate::count_address(const request& head, caller_facts& by,
                                                cost_class cost, const model::ip_address& client,
                                                std::uint32_t units, base::steady_time now) {
  if (settings_->access.per_address[index_of(cost)].is_unlimited()) return {};
  verdict free;
  take_each(cost, client, [&](auto whose, std::uint64_t subject, const base::rate_policy& policy) {
    free = count(head, by, cost, units, whose, subject, policy, now);
    return free.has_value();
  });
  return free;
}

access_gate::verdict access_gate::count_token(const request& head, caller_facts& by,
                                              const route& where, std::uint32_t units,
                                              base::steady_time now) {
  const auto& row = *where.row;
  const auto& what = where.token->what;
  const auto& own = row.cost == cost_class::cheap ? what.limits.cheap : what.limits.expensive;
  auto policy = own.value_or(settings_->access.per_token[index_of(row.cost)]);
  // The window grows instead of the quota shrinking: a small quota would shrink to nothing.
  if (settings_->access.replicas) policy.window_s *= settings_->access.replicas->get();
  subject_name subject{limited_subject::token, row.cost};
  subject.add(where.token->token_id.bytes);
  // Games ship player tokens, and many clients share one. So the limit of such a token applies per
  // address, so that no client can use it up for all.
  if (what.kind == model::token_kind::player)
    subject.add(prefix_of(where.client, settings_->access.ipv6_client_prefix).bytes);
  by.token_subject = limits_->hash(subject.bytes());
  by.token_policy = policy;
  if (policy.is_unlimited()) return {};
  return count(head, by, row.cost, units, limited_subject::token, by.token_subject, policy, now);
}

bool access_gate::admit_handshake(const model::ip_address& client) {
  if (!limits_ || !is_limited(client)) return true;
  const auto now = clock_->now();
  return take_each(cost_class::cheap, client,
                   [&](auto, std::uint64_t subject, const base::rate_policy& policy) {
                     return limits_->consume(subject, policy, handshake_units, now).is_allowed;
                   });
}

void access_gate::charge_answer(const request& head, caller_facts& by, operation which,
                                std::size_t bytes) {
  const auto units = units_of(bytes);
  if (limits_ && units > 0) charge(head, by, row_of(which).cost, units);
}

void access_gate::charge(const request& head, caller_facts& by, cost_class cost,
                         std::uint32_t units) {
  const auto now = clock_->now();
  if (by.token_subject != 0) limits_->charge(by.token_subject, by.token_policy, units, now);
  const auto client = client_of(head, by);
  if (!is_limited(head, client)) return;
  take_each(cost, client, [&](auto, std::uint64_t subject, const base::rate_policy& policy) {
    limits_->charge(subject, policy, units, now);
    return true;
  });
}

void access_gate::punish(const model::ip_address& client, base::steady_time now) {
  if (settings_->access.per_address[index_of(cost_class::cheap)].is_unlimited()) return;
  take_each(cost_class::cheap, client,
            [&](auto, std::uint64_t subject, const base::rate_policy& policy) {
              limits_->charge(subject, policy, refused_token_cost - 1, now);
              return false; // its network is not charged
            });
}

tl::unexpected<refused_request> access_gate::refuse(refused_request why) const {
  const auto code = base::describe(why.why.code).code;
  const auto* named = std::ranges::find(access_refusal_names, code);
  if (metrics_ != nullptr && named != access_refusal_names.end())
    metrics_->access_refused[static_cast<std::size_t>(named - access_refusal_names.begin())].add();
  return tl::unexpected(std::move(why));
}

} // namespace matchcloud::http
