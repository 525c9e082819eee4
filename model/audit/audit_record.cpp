#include "model/audit/audit_record.hpp"

namespace matchcloud::model {

std::string render_entry(const audit_entry& one) {
  return to_json(one);
}

std::string render_page(const audit_page& page) {
  return to_json(page);
}

} // namespace matchcloud::model
