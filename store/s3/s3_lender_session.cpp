#include "store/s3/s3_lender_session.hpp"

#include "model/net/ip_address.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace matchcloud::store {

bool may_lend(const model::http_url& url) {
  // ECS; EKS Pod Identity over IPv4 and IPv6.
  static constexpr std::array<std::string_view, 3> agents{"169.254.170.2", "169.254.170.23",
                                                          "fd00:ec2::23"};
  if (url.secure || url.host == "localhost") return true;
  const auto address = model::parse_ip_address(url.host);
  if (!address) return false;
  return address->is_loopback() || std::ranges::any_of(agents, [&](std::string_view agent) {
           return *address == *model::parse_ip_address(agent);
         });
}

base::expected<s3_answer> s3_lender_session::ask(std::string_view method, std::string_view target,
                                                 s3_pairs headers, std::string_view what,
                                                 std::string_view body) {
  s3_http_request request;
  request.method = method;
  request.url = with_.url + std::string{target};
  request.headers = std::move(headers);
  request.body = body;
  s3_transfer transfer{request, limits()};
  lane_.begin(transfer);
  while (!transfer.is_done())
    lane_.run(with_.timeout);
  // A temporary failure, which the service waits out at its start.
  const auto away = [&](const std::string& why) {
    auto failure = failed(what, why).value();
    failure.code = base::errc::store_failed;
    return tl::unexpected(std::move(failure));
  };
  if (transfer.end() == s3_transfer_end::answered) {
    const auto status = transfer.answer().status;
    if (status >= 500 || status == 429) return away("HTTP status " + std::to_string(status));
    return std::move(transfer.answer());
  }
  if (transfer.end() == s3_transfer_end::too_long)
    return failed(what, "the answer has more than " + std::to_string(lender_answer_limit_bytes) +
                            " bytes");
  if (transfer.end() == s3_transfer_end::not_trusted) return failed(what, transfer.reason());
  return away(transfer.reason() + with_.hint);
}

tl::unexpected<base::error> s3_lender_session::failed(std::string_view what,
                                                      const std::string& why) const {
  auto detail = with_.name + " at " + with_.url + ": cannot get ";
  return base::fail(base::errc::config_invalid, detail.append(what).append(": ").append(why));
}

s3_transfer_limits s3_lender_session::limits() const {
  using std::chrono::milliseconds;
  s3_transfer_limits made;
  made.timeout = std::chrono::floor<milliseconds>(end_at_ - base::machine_clock().now());
  made.connect_timeout = with_.connect_timeout;
  made.silence_timeout = std::chrono::ceil<std::chrono::seconds>(with_.timeout);
  made.least_rate = 1;
  made.body_limit_bytes = lender_answer_limit_bytes;
  return made;
}

} // namespace matchcloud::store
