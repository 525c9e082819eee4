#include "tests/fixtures/framer_law.hpp"

#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input{reinterpret_cast<const char*>(bytes), size};
  if (const auto why = matchcloud::proxy_header_law::check(input); !why.empty()) {
    std::fprintf(stderr, "%s\n", why.c_str());
    std::abort();
  }
  return 0;
}
