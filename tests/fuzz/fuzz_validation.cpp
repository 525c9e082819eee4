// Laws: no input crashes validation; the same input gives the same answer; an answer is an error of
// three kinds or findings that render as well-formed JSON within their limits.
#include "model/json_document.hpp"
#include "model/validation.hpp"

#include <cstdlib>

using namespace matchcloud;

namespace {

void require(bool law) {
  if (!law) std::abort();
}

bool is_body_error(base::errc code) {
  return code == base::errc::body_malformed || code == base::errc::body_too_deep ||
         code == base::errc::body_not_object;
}

void check(model::payload_kind kind, std::string_view body, const model::validation_rules& rules) {
  const auto once = model::validate(kind, body, rules, model::default_reference_names());
  require(once == model::validate(kind, body, rules, model::default_reference_names()));
  if (!once) return require(is_body_error(once.error().code) && !once.error().detail.empty());
  require(once->size() <= rules.limits.findings + 1);
  std::size_t bytes = 0;
  for (const auto& found : *once) {
    require(!found.message.empty() && found.offset < body.size());
    bytes += model::rendered_bytes(found);
  }
  const auto rendered = model::render_findings(*once);
  require(rendered.size() == bytes + (once->empty() ? 13 : 12));
  constexpr std::size_t response_depth = 4;
  require(model::json_document::parse(rendered, response_depth).has_value());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view body{reinterpret_cast<const char*>(bytes), size};
  model::validation_rules rules;
  check(model::payload_kind::version, body, rules);
  check(model::payload_kind::group, body, rules);
  rules.unknown_members = model::unknown_members::ignore;
  rules.limits.findings = 3;
  check(model::payload_kind::version, body, rules);
  return 0;
}
