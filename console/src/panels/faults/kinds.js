// The kinds of faults: what each does, and its icon.
import {
  Ban, CircleX, HardDrive, Pause, Power, RefreshCw, Scissors, Shuffle, Timer,
} from "lucide-preact";
import { html } from "../../core/html.js";

const kinds = {
  delay: [Timer, "The step takes longer."],
  error: [CircleX, "The step returns an error that it can really produce, such as 503."],
  drop: [Ban, "The step is silently skipped: requests get 504 at their deadline."],
  crash: [RefreshCw, "The actor dies and is replaced. Its requests are sent again."],
  abort: [Power, "The process dies at once. Something else has to start it again."],
  "short-write": [Scissors, "Only some of the bytes are written."],
  corrupt: [Shuffle, "Bytes are changed; at the clock, the time of day."],
  stall: [Pause, "The step waits until the fault is cleared or heals."],
  full: [HardDrive, "The step fails because the disk is full: requests get 507."],
};

/** One line that explains a kind. */
export const meaningOf = (kind) => kinds[kind]?.[1];

/** The icon of a kind. Screen readers skip it, because the kind's name is next to it. */
export function KindIcon({ kind }) {
  const Icon = kinds[kind]?.[0];
  return Icon ? html`<${Icon} />` : null;
}
