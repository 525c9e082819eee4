#include "model/access/token_change.hpp"

#include "model/json/json_writer.hpp"
#include "model/text/timestamp.hpp"

namespace matchcloud::model {

namespace {

std::string subject_of(const access_token& one) {
  return "tokens/" + to_string(one.token_id);
}

} // namespace

audit_change describe_creation(const access_token& made) {
  return {audit_action::token_create, subject_of(made), {}, render_token(made, made.created_ms)};
}

audit_change describe_change(const access_token& before, const access_token& after,
                             std::int64_t now_ms) {
  return {after.digest == before.digest ? audit_action::token_revoke : audit_action::token_rotate,
          subject_of(after), render_token(before, now_ms), render_token(after, now_ms)};
}

audit_change describe_expiry(audit_action action, std::string_view what, std::int64_t before_ms,
                             std::size_t count) {
  json_writer json;
  json.object().name(what).number(count);
  json.name("older_than").text(format_timestamp(before_ms)).end_object();
  return {action, {}, {}, json.take()};
}

} // namespace matchcloud::model
