#pragma once

#include "base/clock.hpp"
#include "base/rate_limit.hpp"
#include "http/front/front_settings.hpp"
#include "http/front/routes.hpp"
#include "http/transport/transport_metrics.hpp"

#include <tl/expected.hpp>

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace matchcloud::http {

/// Admits requests by their heads: finds the operation, counts the client's address, then checks
/// the token and counts it. One per front, shared with its transport; on the front's thread.
class access_gate final : public head_rules {
public:
  /// The bytes that one unit of a rate limit pays for: bytes of a request's body, or of an answer
  /// that is made for it alone. The cost of serving a request grows with both.
  static constexpr std::size_t bytes_per_unit = 4'096;
  /// How many cheap requests a TLS handshake counts as: it costs a signature.
  static constexpr std::uint32_t handshake_units = 10;

  /// `limits` is one table for the whole process; null: there are no rate limits. `metrics` may be
  /// null; it and `clock` outlive the gate.
  explicit access_gate(std::shared_ptr<const front_settings> settings,
                       std::shared_ptr<base::rate_limit_table> limits = nullptr,
                       transport_metrics* metrics = nullptr,
                       const base::clock& clock = base::machine_clock());

  const front_settings& settings() const noexcept { return *settings_; }
  /// Replaces the settings for all users of this gate.
  void set_settings(std::shared_ptr<const front_settings> settings) {
    settings_ = std::move(settings);
  }
  /// Replaces the known tokens. Before the first call there are none.
  void set_tokens(model::token_snapshot tokens) {
    tokens_ = std::move(tokens);
    waits_for_store_ = false;
  }
  /// For a service that cannot read its store yet: until `set_tokens`, requests that may need a
  /// token are refused with 503, because no token is known.
  void wait_for_store() noexcept { waits_for_store_ = true; }

  /// Null before the first call of `set_catalog`.
  const model::catalog_snapshot& catalog() const noexcept { return catalog_; }
  /// Replaces the catalog that registered domains are looked up in. Before the first call there is
  /// none. Returns the previous one, because freeing it takes long.
  model::catalog_snapshot set_catalog(model::catalog_snapshot catalog) {
    return std::exchange(catalog_, std::move(catalog));
  }

  /// Admits a request or says why not. Checks the address's rate limit (429), method (501), path
  /// (404), method of the path (405), host and origin (403), token (401), the token's permissions
  /// (403) and the token's rate limit (429), in this order. However often a request is checked, the
  /// rate limits count it once: as one unit, plus one for each `bytes_per_unit` of a body that an
  /// actor gets whole. `body_bytes` is the size of the body, as far as it is known. The head's
  /// target is not `*`. `by` is of this request and keeps what is found out. The route refers to
  /// the head.
  tl::expected<route, refused_request> admit(const request& head, caller_facts& by,
                                             std::uint64_t body_bytes = 0);
  /// The same for the target `*`. Checks only the address's rate limit.
  tl::expected<void, refused_request> admit_asterisk(const request& head, caller_facts& by);

  /// Also checks the body. A refusal has the CORS headers of its operation.
  head_verdict judge(const request& head, caller_facts& by, std::uint64_t length) override;
  model::ip_address client_of(const request& head, caller_facts& by) override;
  /// Does not check whether the token is still valid.
  std::uint64_t token_key(const request& head, caller_facts& by) override;
  bool admit_handshake(const model::ip_address& client) override;
  /// Charges the client that sent the request for an answer that was made for it alone.
  void charge_answer(const request& head, caller_facts& by, operation which, std::size_t bytes);

private:
  using verdict = tl::expected<void, refused_request>;

  /// Whether the operation needs a token, and whether it reads one.
  bool needs_token(const operation_row& row, const request& head,
                   const model::ip_address& client) const noexcept;
  bool reads_token(const operation_row& row) const noexcept;
  /// The token in the head, if it is a valid one.
  tl::expected<const model::access_token*, refused_request>
  find_token(const operation_row& row, const request& head, caller_facts& by);
  verdict check_scope(route& where) const;

  bool is_limited(const request& head, const model::ip_address& client) const noexcept;
  bool is_limited(const model::ip_address& client) const noexcept;
  /// Charges the client for units that became known after the request was admitted.
  void charge(const request& head, caller_facts& by, cost_class cost, std::uint32_t units);
  verdict count_address(const request& head, caller_facts& by, cost_class cost,
                        const model::ip_address& client, std::uint32_t units,
                        base::steady_time now);
  verdict count_token(const request& head, caller_facts& by, const route& where,
                      std::uint32_t units, base::steady_time now);
  /// Counts a request of class `cost` as `units` against a limit; fails if it is over the limit.
  /// Marks the caller as noisy once half of the limit is used.
  verdict count(const request& head, caller_facts& by, cost_class cost, std::uint32_t units,
                limited_subject whose, std::uint64_t subject, const base::rate_policy& policy,
                base::steady_time now);
  /// Calls `take(whose, subject, policy)` for the limit of an address and, for IPv6, that of its
  /// /48, while it returns true. Returns whether each did.
  template <class Take>
  bool take_each(cost_class cost, const model::ip_address& client, Take&& take) const;
  /// Charges the address for a request without a valid token.
  void punish(const model::ip_address& client, base::steady_time now);
  /// Counts a refusal in the metrics.
  tl::unexpected<refused_request> refuse(refused_request why) const;

  std::shared_ptr<const front_settings> settings_;
  std::shared_ptr<base::rate_limit_table> limits_;
  transport_metrics* metrics_;
  const base::clock* clock_;
  model::catalog_snapshot catalog_;
  bool waits_for_store_ = false;
  model::token_snapshot tokens_ = std::make_shared<const model::token_list>();
};

} // namespace matchcloud::http
