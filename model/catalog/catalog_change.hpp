#pragma once

#include "model/audit/audit.hpp"
#include "model/catalog/catalog.hpp"
#include "model/catalog/catalog_document.hpp"
#include "model/catalog/catalog_element.hpp"

namespace matchcloud::model {

/// What an import changes, for the audit log: a single element before and after, or else how many
/// elements of each kind the document names, and both revisions.
audit_change describe_import(const catalog& before, const catalog& after,
                             const catalog_document& doc);
/// What a removal changes.
audit_change describe_removal(const catalog& before, const element_key& key);

} // namespace matchcloud::model
