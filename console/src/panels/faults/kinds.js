// The kinds of faults: what each does, and its icon.
import { Ban, CircleX, Pause, Power, RefreshCw, Scissors, Shuffle, Timer } from "lucide-preact";
import { html } from "../../core/html.js";

const kinds = {
  delay: [Timer, "It takes longer."],
  error: [CircleX, "It fails as it can really fail, such as with 503."],
  drop: [Ban, "It silently does not happen: requests get 504 at their deadline."],
  crash: [RefreshCw, "The actor dies and is replaced. Its requests are sent again."],
  abort: [Power, "The process dies at once. Something else has to start it again."],
  "short-write": [Scissors, "Only a part of the bytes is written."],
  corrupt: [Shuffle, "Bytes are changed. At the clock, the time is."],
  stall: [Pause, "It does not happen until the fault is cleared or heals."],
};

/** One line that explains a kind. */
export const meaningOf = (kind) => kinds[kind]?.[1];

/** The icon of a kind, for eyes alone: the kind's name is beside it. */
export function KindIcon({ kind }) {
  const Icon = kinds[kind]?.[0];
  return Icon ? html`<${Icon} />` : null;
}
