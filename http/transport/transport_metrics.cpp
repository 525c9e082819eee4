#include "http/transport/transport_metrics.hpp"

namespace matchcloud::http {

problem_counts::problem_counts(base::metric_set& in) {
  in.add(base::metric_type::counter,
         {"matchcloud_problems_total", "Answers that were a problem, by its code.", false},
         [this](const base::metric_set::sink& to) {
           for (std::size_t i = 0; i < size(); ++i)
             to({{"code", base::describe(static_cast<base::errc>(i)).code}}, (*this)[i].value());
         });
}

} // namespace matchcloud::http
