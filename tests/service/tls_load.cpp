#include "tests/service/tls_load.hpp"

#include "tests/service/server.hpp"

#include <exception>
#include <stdexcept>

namespace matchcloud::e2e {

tls_load::tls_load(const address& to, std::size_t keeping, std::size_t closing) : to_{to} {
  for (std::size_t i = 0; i < keeping + closing; ++i)
    threads_.emplace_back([this, keeps = i < keeping] { ask(keeps); });
}

bool tls_load::goes_on(std::size_t more) const {
  const auto until = answers_ + more;
  return eventually([&] { return answers_ >= until; });
}

std::string tls_load::finish() {
  stopping_ = true;
  for (auto& each : threads_)
    if (each.joinable()) each.join();
  return failure_;
}

void tls_load::ask(bool keeps) {
  const auto text =
      request("GET", regions_target, {}, keeps ? std::string{} : "Connection: close\r\n");
  try {
    session_ptr session;
    while (!stopping_) {
      tls_client connection{to_, {.session = session.get()}};
      ++connections_;
      if (connection.is_resumed()) ++resumed_;
      for (bool open = true; open && !stopping_;) {
        const auto got = connection.ask(text);
        if (got.status != 200) throw std::runtime_error{"status " + std::to_string(got.status)};
        ++answers_;
        open = got.header("connection") != "close";
      }
      session = session ? nullptr : connection.session();
    }
  } catch (const std::exception& broken) {
    const std::lock_guard lock{failing_};
    if (failure_.empty()) failure_ = broken.what();
  }
}

} // namespace matchcloud::e2e
