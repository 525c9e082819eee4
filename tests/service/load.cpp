#include "tests/service/load.hpp"

#include <algorithm>
#include <exception>
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

} // namespace matchcloud::e2e
