// What the steps of a kept request say: where its time went.

const sending = "sending";

/** The steps until the answer, in order, and how long sending it took after that, in us. */
export function stepsOf({ steps }) {
  const until = steps.filter(({ place }) => place !== sending).sort((a, b) => a.at_us - b.at_us);
  return { until, sent_us: steps.find(({ place }) => place === sending)?.us ?? 0 };
}

/** The fault points that held the request up. */
export const faultsOf = ({ steps }) => [...new Set(steps.filter(({ kind }) => kind === "fault")
  .map(({ place }) => place))];

/** How long the request waited, was worked on and was held up by faults, and the rest, in us. */
export function timesOf(trace) {
  const times = { wait: 0, work: 0, fault: 0 };
  for (const { kind, us } of stepsOf(trace).until) times[kind] += us;
  const known = times.wait + times.work + times.fault;
  return { ...times, unknown: Math.max(0, trace.total_us - known) };
}

/**
 * `{kind, place, us}` of the place where it spent the most time in all its steps there; null
 * without steps.
 */
export function longestOf(trace) {
  const sums = new Map();
  for (const { kind, place, us } of stepsOf(trace).until) {
    const key = `${kind} ${place}`;
    sums.set(key, { kind, place, us: (sums.get(key)?.us ?? 0) + us });
  }
  return [...sums.values()].sort((a, b) => b.us - a.us)[0] ?? null;
}

/** Two spans in one unit: "290 of 301 ms". */
export function shareText(part_us, whole_us) {
  const [size, unit] = whole_us < 1_000 ? [1, "µs"]
    : whole_us < 1_000_000 ? [1_000, "ms"] : [1_000_000, "s"];
  const digits = whole_us / size < 10 && size > 1 ? 1 : 0;
  const text = (us) => (us / size).toFixed(digits);
  const [part, whole] = [text(part_us), text(whole_us)];
  return `${part} of ${whole} ${unit}`;
}

// A step names the kind of an actor (avatar), a filter may name one of them (avatar/1).
const isAt = (step, place) => step.place === place || step.place === place.split("/")[0];

const orders = {
  duration: (a, b) => b.total_us - a.total_us,
  time: (a, b) => b.began.localeCompare(a.began),
};

/** The traces that match a filter (texts; empty: any), the longest or the newest first. */
export function chosenOf(traces, { operation, status, slower, game, place, order }) {
  const least_us = (Number(slower) || 0) * 1_000;
  return traces.filter((trace) => (!operation || trace.operation === operation)
    && (!status || [`${trace.status}`, `${Math.floor(trace.status / 100)}xx`].includes(status))
    && trace.total_us >= least_us
    && (!game || trace.game_id === game)
    && (!place || trace.steps.some((step) => isAt(step, place))))
    .sort(orders[order] ?? orders.duration);
}
