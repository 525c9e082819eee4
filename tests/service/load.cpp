#include "tests/service/load.hpp"

#include "tests/service/server.hpp"
#include "tests/service/tls_client.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

namespace matchcloud::e2e {

steady_load::steady_load(const address& to, std::string request, std::size_t clients)
    : to_{to}, request_{std::move(request)}, clients_(clients) {
  for (auto& each : clients_)
    each.thread = std::thread{[this, &each] { ask(each); }};
}

void steady_load::ask(client& as) const {
  auto& report = as.report;
  try {
    raw_connection connection{to_};
    std::string last;
    while (!stopping_ && report.failure.empty()) {
      auto got = connection.ask(request_);
      if (got.status != 200) report.failure = std::to_string(got.status) + " " + got.body;
      if (got.body != last) last = *report.bodies.insert(std::move(got.body)).first;
      as.turns = ++report.answers;
    }
  } catch (const std::exception& failed) {
    report.failure = failed.what();
  }
}

std::size_t steady_load::turns() const {
  std::size_t least = SIZE_MAX;
  for (const auto& each : clients_)
    least = std::min(least, each.turns.load());
  return least;
}

load_report steady_load::finish() {
  stopping_ = true;
  load_report all;
  for (auto& each : clients_) {
    if (each.thread.joinable()) each.thread.join();
    all.answers += each.report.answers;
    all.bodies.merge(each.report.bodies);
    if (all.failure.empty()) all.failure = each.report.failure;
  }
  return all;
}

visiting_load::visiting_load(const address& to, std::size_t keeping, std::size_t closing,
                             bool over_tls)
    : to_{to} {
  for (std::size_t i = 0; i < keeping + closing; ++i)
    threads_.emplace_back([this, keeps = i < keeping, over_tls] { ask(keeps, over_tls); });
}

bool visiting_load::goes_on(std::size_t more) const {
  const auto until = answers_ + more;
  return eventually([&] { return answers_ >= until; });
}

std::string visiting_load::finish() {
  stopping_ = true;
  for (auto& each : threads_)
    if (each.joinable()) each.join();
  return failure_;
}

void visiting_load::ask(bool keeps, bool over_tls) {
  const auto text =
      request("GET", regions_target, {}, keeps ? std::string{} : "Connection: close\r\n");
  const auto visit = [&](auto& connection) {
    ++connections_;
    for (bool open = true; open && !stopping_;) {
      const auto got = connection.ask(text);
      if (got.status != 200) throw std::runtime_error{"status " + std::to_string(got.status)};
      ++answers_;
      open = got.header("connection") != "close";
    }
  };
  try {
    session_ptr session;
    while (!stopping_) {
      if (!over_tls) {
        raw_connection connection{to_};
        visit(connection);
        continue;
      }
      tls_client connection{to_, {.session = session.get()}};
      if (connection.is_resumed()) ++resumed_;
      visit(connection);
      session = session ? nullptr : connection.session();
    }
  } catch (const std::exception& broken) {
    const std::lock_guard lock{failing_};
    if (failure_.empty()) failure_ = broken.what();
  }
}

} // namespace matchcloud::e2e
