// Properties: no input crashes the parser of latencies; accepted ones are within their limits, with
// each region once and in order; and a refusal has a message that can be sent.
#include "model/regions/measured_latency.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

using namespace matchcloud;

namespace {

void require(bool law) {
  if (!law) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto read = model::read_measured_latencies({reinterpret_cast<const char*>(bytes), size});
  if (!read) {
    require(read.error().code == base::errc::query_invalid);
    require(model::find_malformed_utf8(read.error().detail) == std::string_view::npos);
    return 0;
  }
  require(read->size() <= model::measured_limit);
  for (std::size_t i = 0; i < read->size(); ++i) {
    const auto& [region_id, milliseconds] = (*read)[i];
    require(milliseconds >= 0 && milliseconds <= model::latency_limit_ms);
    require(i == 0 || (*read)[i - 1].region_id < region_id);
  }
  std::vector<std::string_view> ids{"fra", "lon", "syd"};
  const auto order = model::order_by_latency(ids, *read);
  require(order.empty() || std::is_permutation(order.begin(), order.end(),
                                               std::vector<std::size_t>{0, 1, 2}.begin()));
  return 0;
}
