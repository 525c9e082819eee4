#include "base/check.hpp"

#include "base/byte_budget.hpp"
#include "tests/catch.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

namespace matchcloud::base {
namespace {

/// Whether `body` ends a forked process with SIGABRT.
bool aborts(const std::function<void()>& body) {
  const auto pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    std::signal(SIGABRT, SIG_DFL);
    ::close(STDERR_FILENO);
    body();
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

TEST_CASE("what does not hold ends the process, in release builds too") {
  CHECK(aborts([] { check(false, "never"); }));
  CHECK_FALSE(aborts([] { check(true, "always"); }));
}

TEST_CASE("a budget that gets back more than it gave ends the process") {
  CHECK(aborts([] {
    byte_budget budget{10};
    budget.release(1);
  }));
}

TEST_CASE("a lease that grows in another budget ends the process") {
  CHECK(aborts([] {
    byte_budget one{10};
    byte_budget other{10};
    byte_lease lease;
    lease.grow_to(one, 1);
    lease.grow_to(other, 2);
  }));
}

} // namespace
} // namespace matchcloud::base
