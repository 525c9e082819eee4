#include "model/records/line_error.hpp"

namespace matchcloud::model {

std::string_view name_of(line_errc code) noexcept {
  switch (code) {
  case line_errc::malformed: return "malformed";
  case line_errc::too_long: return "too_long";
  case line_errc::unknown_member: return "unknown_member";
  case line_errc::duplicate_member: return "duplicate_member";
  case line_errc::required: return "required";
  case line_errc::wrong_type: return "wrong_type";
  case line_errc::invalid: return "invalid";
  case line_errc::conflict: return "conflict";
  case line_errc::game_unknown: return "game_unknown";
  case line_errc::namespace_unknown: return "namespace_unknown";
  case line_errc::region_unknown: return "region_unknown";
  }
  return "malformed";
}

} // namespace matchcloud::model
