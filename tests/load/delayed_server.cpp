#include "tests/load/delayed_server.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <utility>

namespace matchcloud::load {

using clock = std::chrono::steady_clock;

const std::string good_listing =
    R"({"regions":[{"region_id":"lon","region_display_name":"London","provider_display_name":"P",)"
    R"("datacenter_coord":{"latitude":51.5,"longitude":-0.1},)"
    R"("datacenter_distance_from_client":{"kilometers":2.6,"miles":1.6}},)"
    R"({"region_id":"fra","region_display_name":"Frankfurt","provider_display_name":"P",)"
    R"("datacenter_coord":{"latitude":50.1,"longitude":8.6},)"
    R"("datacenter_distance_from_client":{"kilometers":640.1,"miles":397.7}}]})";

namespace {

std::string authorization_in(const std::string& head) {
  const std::string name = "\r\nAuthorization: ";
  const auto at = head.find(name);
  if (at == std::string::npos) return {};
  const auto begin = at + name.size();
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

} // namespace

std::string ok_reply(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

delayed_server::delayed_server(std::string reply, std::chrono::milliseconds delay)
    : reply_{std::move(reply)}, delay_{delay}, server_{[this](int fd, int connection) {
        serve(fd, connection);
      }} {}

void delayed_server::stall_once(std::chrono::milliseconds from, std::chrono::milliseconds length) {
  stall_from_ = from;
  stall_length_ = length;
}

void delayed_server::serve_at(double requests_per_second) {
  service_time_ = std::chrono::nanoseconds{static_cast<std::int64_t>(1e9 / requests_per_second)};
}

void delayed_server::begin_with(std::uint64_t requests, std::string reply) {
  first_reply_ = std::move(reply);
  first_replies_ = requests;
}

std::vector<std::set<std::string>> delayed_server::authorizations() const {
  const std::lock_guard lock{mutex_};
  std::vector<std::set<std::string>> all;
  for (const auto& [connection, values] : authorizations_)
    all.push_back(values);
  return all;
}

void delayed_server::serve(int fd, int connection) {
  ++connections_;
  std::string unread;
  std::uint64_t answers = 0;
  while ((break_after_ == 0 || answers < break_after_) && server_.wait_readable(fd)) {
    std::array<char, 4096> buffer;
    const auto got = ::recv(fd, buffer.data(), buffer.size(), 0);
    if (got <= 0) return;
    unread.append(buffer.data(), static_cast<std::size_t>(got));
    // Only requests without a body are supported.
    const auto end = unread.find("\r\n\r\n");
    if (end == std::string::npos) continue;
    {
      const std::lock_guard lock{mutex_};
      authorizations_[connection].insert(authorization_in(unread.substr(0, end + 2)));
    }
    unread.erase(0, end + 4);
    const auto& reply = requests_++ < first_replies_ ? first_reply_ : reply_;
    if (!server_.pause_until(due())) return;
    ++answers;
    // The last answer is sent together with the end of the stream.
    const int more = answers == break_after_ ? MSG_MORE : 0;
    ::send(fd, reply.data(), reply.size(), MSG_NOSIGNAL | more);
  }
}

clock::time_point delayed_server::due() {
  const std::lock_guard lock{mutex_};
  const auto now = clock::now();
  if (first_ == clock::time_point{}) first_ = now;
  const auto stall = first_ + stall_from_;
  if (stall_length_.count() > 0 && now >= stall && now < stall + stall_length_)
    return stall + stall_length_;
  served_until_ = std::max(served_until_, now) + service_time_;
  return served_until_ + delay_;
}

} // namespace matchcloud::load
