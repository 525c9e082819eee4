#pragma once

#include "base/clock.hpp"
#include "base/rate_limit.hpp"
#include "http/front/front_settings.hpp"
#include "http/front/request_check.hpp"
#include "http/transport/transport_metrics.hpp"

#include <tl/expected.hpp>

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace matchcloud::http {

/// Lets requests in by their heads: finds the operation, counts the client's address, then asks for
/// the token and counts that. One per front, shared with the transport's `front_rules`; on the
/// front's thread.
class access_gate {
public:
  /// `limits` is one table for the whole process; null: there are no rate limits. `metrics` may be
  /// null; it and `clock` outlive the gate.
  explicit access_gate(std::shared_ptr<const front_settings> settings,
                       std::shared_ptr<base::rate_limit_table> limits = nullptr,
                       transport_metrics* metrics = nullptr,
                       const base::clock& clock = base::machine_clock());

  /// Replaces the tokens that are known. Before the first call there are none.
  void set_tokens(model::token_snapshot tokens) { tokens_ = std::move(tokens); }

  /// Replaces the catalog whose registered domains are known. Before the first call there is none.
  /// Returns the one before: freeing it takes long.
  model::catalog_snapshot set_catalog(model::catalog_snapshot catalog) {
    return std::exchange(catalog_, std::move(catalog));
  }

  /// Lets a request in or says why not, by these checks: the address's rate limit (429), method
  /// (501), path (404), method of the path (405), host and origin (403), token
  /// (401), what the token may do (403), the token's rate limit (429). The rate limits count a
  /// request once, however often it is judged. The head's target is not `*`.
  tl::expected<route, refused_request> admit(const request& head);
  /// The same for the target `*`, of which only the address's rate limit is checked.
  tl::expected<void, refused_request> admit_asterisk(const request& head);

private:
  using verdict = tl::expected<void, refused_request>;

  /// Whether the row needs a token, and whether one is looked at.
  bool needs_token(const operation_row& row, const request& head,
                   const model::ip_address& client) const noexcept;
  bool reads_token(const operation_row& row) const noexcept;
  /// The token in the head, if it is a valid one.
  tl::expected<const model::access_token*, refused_request> find_token(const operation_row& row,
                                                                       const request& head);
  verdict check_scope(const route& where) const;

  bool is_limited(const request& head, const model::ip_address& client) const noexcept;
  /// The client's address.
  model::ip_address client_of(const request& head) const;
  verdict count_address(const request& head, cost_class cost, const model::ip_address& client,
                        base::steady_time now);
  verdict count_token(const request& head, const route& where, base::steady_time now);
  /// Counts a request of that class against a limit, or says that it is over it. Marks the head as
  /// noisy where half of the limit is used.
  verdict count(const request& head, cost_class cost, limited_subject whose, std::uint64_t subject,
                const base::rate_policy& policy, base::steady_time now);
  /// The subject of an address's limit.
  std::uint64_t address_subject(cost_class cost, const model::ip_address& client) const noexcept;
  /// Charges the address for a request without a valid token.
  void punish(const model::ip_address& client, base::steady_time now);
  /// Counts a refusal in the metrics.
  tl::unexpected<refused_request> refuse(refused_request why) const;

  std::shared_ptr<const front_settings> settings_;
  std::shared_ptr<base::rate_limit_table> limits_;
  transport_metrics* metrics_;
  const base::clock* clock_;
  model::catalog_snapshot catalog_;
  model::token_snapshot tokens_ = std::make_shared<const model::token_list>();
};

} // namespace matchcloud::http
