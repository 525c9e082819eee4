#include "app/node/tls_renewal.hpp"

#include "app/certificates/new_certificate.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <algorithm>

namespace matchcloud::app {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

/// What a node with TLS has in force, on a clock that only the test moves.
struct tls_renewal_bench {
  fixtures::temporary_directory in;
  fixtures::manual_clock clock;
  http::tls_files files{{{in.path("cert.pem"), in.path("key.pem")}}, {}};
  std::unique_ptr<tls_renewal> of;
  int contexts = 0;

  tls_renewal_bench() {
    replace(make_pair());
    of = std::make_unique<tls_renewal>(files, clock);
    of->follow(http::tls_purpose::data, [this](const auto& context) {
      CHECK(context != nullptr);
      ++contexts;
    });
  }

  static certificate_pair make_pair() {
    const auto now_s = 1'700'000'000;
    const auto made = make_self_signed({parse_certificate_host("localhost").value()},
                                       {now_s, now_s + 86'400 * 9});
    REQUIRE(made);
    return *made;
  }
  void replace(const certificate_pair& by) const {
    in.file("cert.pem", by.certificate_pem);
    in.file("key.pem", by.key_pem);
  }
};

TEST_CASE("the key of tickets is replaced once a day") {
  tls_renewal_bench on;
  on.clock.advance(hours{24});
  on.of->reload();
  CHECK(on.contexts == 0); // not older than a day
  on.clock.advance(minutes{1});
  on.of->reload();
  CHECK(on.contexts == 1);
  on.of->reload();
  CHECK(on.contexts == 1);
  on.clock.jump(-hours{48});
  on.clock.advance(hours{24} + minutes{1});
  on.of->reload();
  CHECK(on.contexts == 2);
}

TEST_CASE("replaced certificates are taken up, broken ones are refused once and keep the last") {
  tls_renewal_bench on;
  const auto taken_within = [&](std::uint64_t count) {
    return e2e::eventually([&] {
      on.of->reload();
      return on.of->metrics().taken.get() == count;
    });
  };
  on.replace(tls_renewal_bench::make_pair());
  CHECK(taken_within(1));
  CHECK(on.contexts == 1);
  on.in.file("key.pem", "nothing");
  CHECK(e2e::eventually([&] {
    on.of->reload();
    return on.of->metrics().refused.get() == 1;
  }));
  on.of->reload();
  CHECK(on.of->metrics().refused.get() == 1);
  CHECK(on.contexts == 1);
  on.replace(tls_renewal_bench::make_pair());
  CHECK(taken_within(2));
  CHECK(on.contexts == 2);
  CHECK(on.of->metrics().first_expiry_s.get() == 1'700'000'000 + 86'400 * 9);
}

} // namespace
} // namespace matchcloud::app
