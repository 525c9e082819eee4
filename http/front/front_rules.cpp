#include "http/front/front_rules.hpp"

namespace matchcloud::http {

head_verdict front_rules::judge(const request& head, caller_facts& by, std::uint64_t length) const {
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

} // namespace matchcloud::http
