// The lists of the catalog, which its pages show together: a namespace is of a game and names
// regions.
import { useQuery } from "../../core/query.js";
import { elementsOf } from "./kinds.js";

const period_ms = 5_000;
const always = ["games", "namespaces", "regions"];

/**
 * The catalog's lists: `{data, error, reload}`. `data` has a list for each kind that is known by
 * now; that of `kind` is kept up to date, the others are as they were when this was shown or
 * reloaded.
 */
export function useCatalog(kind) {
  const queries = [...always, "tiers"].map((one) => [one, useQuery(
    always.includes(one) || one === kind ? `/v1/${one}` : null,
    { every: one === kind ? period_ms : 0 })]);
  const data = {};
  for (const [one, { value }] of queries) if (value) data[one] = elementsOf(one, value);
  const failed = queries.find(([one, { error }]) => error && (one === kind || !data[one]));
  return { data, error: failed?.[1].error ?? null,
    reload: () => queries.forEach(([, query]) => query.reload()) };
}

/** The element of a list with this id; undefined where it is not there, or not known yet. */
export const found = (list, member, id) => list?.find((element) => element[member] === id);
