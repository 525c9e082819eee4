#pragma once

#include "http/front/front.hpp"
#include "model/regions/measured_latency.hpp"
#include "model/validation/validation.hpp"

#include <optional>
#include <vector>

namespace matchcloud::http {

/// The front of the data plane.
class data_front final : public front {
public:
  using front::front;

protected:
  caf::behavior make_behavior() override;

private:
  void perform(const dispatch& dispatched, const route& where) override;
  void end_requests() override;
  void on_exit() override;
  void preflight(const dispatch& dispatched, const route& where) override;

  void list_regions(const dispatch& dispatched, const route& where);
  void ping(const dispatch& dispatched);
  void validate_version(const dispatch& dispatched, const route& where);
  http::response regions_answer(const http::request& request, actors::regions_ranked reply) const;
  /// The latencies in the query; answers with a problem where they cannot be parsed.
  std::optional<std::vector<model::measured_latency>> read_rtt(const dispatch& dispatched);

  /// Listings to ask for together.
  std::vector<actors::rank_regions> listings_;
};

} // namespace matchcloud::http
