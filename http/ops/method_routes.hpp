#pragma once

#include <httplib.h>

#include <string>

namespace matchcloud::http {

/// Registers `answer` for every method of the paths that match `pattern`; `answer` itself decides
/// which methods are allowed. Called on the server's threads with the request, the response and the
/// body's reader, which is null for methods without a body.
template <class Answer>
void route_every_method(httplib::Server& to, const std::string& pattern, const Answer& answer) {
  const auto bodiless = [answer](const httplib::Request& request, httplib::Response& into) {
    answer(request, into, nullptr);
  };
  const auto bodied = [answer](const httplib::Request& request, httplib::Response& into,
                               const httplib::ContentReader& body) {
    answer(request, into, &body);
  };
  to.Get(pattern, bodiless).Options(pattern, bodiless);
  to.Put(pattern, bodied).Delete(pattern, bodied).Post(pattern, bodied).Patch(pattern, bodied);
}

} // namespace matchcloud::http
