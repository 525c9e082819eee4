#include "tests/service/tokens.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"

namespace matchcloud::e2e {

answer ask_ops(const server& of, std::string_view method, std::string_view target,
               std::string_view body, std::string_view headers) {
  std::string text;
  text.append(method).append(" ").append(target).append(" HTTP/1.1\r\nHost: ");
  text.append(of.ops().authority()).append("\r\n").append(headers);
  if (!body.empty() || method == "POST" || method == "PUT")
    text.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n");
  return of.ask_ops_plane(text.append("\r\n").append(body));
}

made_token create_token(const server& at, std::string_view kind, std::string_view members,
                        std::string_view by) {
  std::string body = R"({"kind":")";
  body.append(kind).append(R"(","name":"a )").append(kind).append("\"");
  body.append(members).append("}");
  const auto got = ask_ops(at, "POST", "/v1/tokens", body, by.empty() ? std::string{} : bearer(by));
  INFO(got.body);
  REQUIRE(got.status == 201);
  CHECK(got.header("cache-control") == "no-store");
  const auto made = parse_json(got.body);
  return {text_at(made, "token_id"), text_at(made, "token")};
}

std::string bearer(std::string_view token) {
  return "Authorization: Bearer " + std::string{token} + "\r\n";
}

} // namespace matchcloud::e2e
