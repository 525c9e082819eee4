#pragma once

#include "http/front/access_gate.hpp"
#include "http/front/request_check.hpp"
#include "http/transport/head_rules.hpp"

#include <cstdint>
#include <memory>
#include <utility>

namespace matchcloud::http {

/// The checks of a front, for a transport: whether a request is admitted, and whether the operation
/// accepts its body. Used on the gate's thread.
class front_rules final : public head_rules {
public:
  explicit front_rules(std::shared_ptr<access_gate> gate) : gate_{std::move(gate)} {}
  /// With a gate of its own, which knows no token and has no rate limits.
  explicit front_rules(const std::shared_ptr<const front_settings>& settings)
      : front_rules{std::make_shared<access_gate>(settings)} {}

  head_verdict judge(const request& head, caller_facts& by, std::uint64_t length) const override {
    if (head.target == "*") return &row_of(operation::unmatched);
    const auto refuse = [&](refused_request what) {
      what.headers += cors_headers_of(row_of(what.which), head, gate_->settings());
      return tl::unexpected(std::move(what));
    };
    auto where = gate_->admit(head, by, length);
    if (!where) return refuse(std::move(where).error());
    if (auto why = check_body(*where->row, head, length))
      return refuse({where->row->id, *std::move(why)});
    return where->row;
  }
  model::ip_address client_of(const request& head, caller_facts& by) const override {
    return gate_->client_of(head, by);
  }
  std::uint64_t token_key(const request& head, caller_facts& by) const override {
    return gate_->token_key(head, by);
  }
  bool admit_handshake(const model::ip_address& client) const override {
    return gate_->admit_handshake(client);
  }

private:
  std::shared_ptr<access_gate> gate_;
};

} // namespace matchcloud::http
