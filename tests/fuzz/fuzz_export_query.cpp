// Properties: no input crashes the parser of an export's body; an accepted span is valid; and a
// refusal has a message that can be sent.
#include "model/lobbies/export_query.hpp"
#include "model/text/unicode.hpp"

#include <cstdlib>

using namespace matchcloud;

namespace {

void require(bool law) {
  if (!law) std::abort();
}

bool is_refusal(base::errc code) {
  return code == base::errc::body_malformed || code == base::errc::body_too_deep ||
         code == base::errc::body_not_object || code == base::errc::query_invalid;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto span = model::read_export_span({reinterpret_cast<const char*>(bytes), size});
  if (span) {
    require(span->begin <= span->end);
    return 0;
  }
  require(is_refusal(span.error().code));
  const auto& detail = span.error().detail;
  require(!detail.empty() && detail.size() < 16'384);
  require(model::find_malformed_utf8(detail) == std::string_view::npos);
  return 0;
}
