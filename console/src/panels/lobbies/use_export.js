// An export: requested until its file is complete, which may take longer than one request waits.
import { useEffect, useRef, useState } from "../../core/html.js";
import { jsonOf, send } from "../../core/api.js";
import { announce } from "../../core/components.js";

const pause_ms = 2_000;
const patience_ms = 30 * 60_000;

/** A link works for a minute. It is removed a little earlier. */
const link_ms = 55_000;

/** Temporary failures: another request joins the export, or gets into the queue. */
const passing = new Set(["timed_out", "deadline_exceeded", "exports_busy", "overloaded",
  "unavailable", "draining", "unreachable"]);

const resting = { state: "idle", query: null, url: null, error: null, waitsFor: null,
  completeFrom: null };

export const exportPath = (game) => `/v1/games/${encodeURIComponent(game)}/exports`;

function pause(signal) {
  return new Promise((done) => {
    const timer = setTimeout(done, pause_ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      done();
    }, { once: true });
  });
}

/** The link of an answer if it is a path of the ops plane below /exports/. Throws Error if not. */
export function linkOf(answer) {
  const url = answer?.url;
  if (typeof url === "string" && /^\/exports\/[^\\]+$/.test(url)) return url;
  throw new Error("The answer has no usable link.");
}

/**
 * One export at a time.
 * @returns {{job: {state: "idle"|"asking"|"done"|"expired"|"failed", query: object|null, url:
 *   string|null, error: Error|null, waitsFor: string|null, completeFrom: string|null}, start:
 *   (game: string, query: {query_start: number, query_end: number}) => void, stop: () => void}}
 *   `waitsFor` is why it is requested again. `completeFrom` is the time from which it has all
 *   lobbies, if older ones are not kept. An export that nobody waits for continues in the service.
 */
export function useExport() {
  const [job, setJob] = useState(resting);
  const running = useRef(null);
  const stop = () => {
    running.current?.abort();
    setJob(resting);
  };
  useEffect(() => () => running.current?.abort(), []);
  useEffect(() => {
    if (job.state !== "done") return undefined;
    const end = () => setJob((now) => ({ ...now, state: "expired", url: null }));
    const timer = setTimeout(end, link_ms);
    return () => clearTimeout(timer);
  }, [job.state, job.url]);

  const start = async (game, query) => {
    running.current?.abort();
    running.current = new AbortController();
    const { signal } = running.current;
    setJob({ ...resting, state: "asking", query });
    const end = performance.now() + patience_ms;
    while (!signal.aborted) {
      try {
        const answer = await send("POST", exportPath(game), { body: query, signal });
        const url = linkOf(await jsonOf(answer));
        if (signal.aborted) return;
        setJob({ ...resting, state: "done", query, url,
          completeFrom: answer.headers.get("Matchcloud-Complete-From") });
        announce("The export is complete.");
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (!passing.has(error.code) || performance.now() > end) {
          setJob({ ...resting, state: "failed", query, error });
          return;
        }
        const waitsFor = error.code === "timed_out" ? null : error.detail;
        setJob((now) => ({ ...now, waitsFor }));
      }
      await pause(signal);
    }
  };
  return { job, start, stop };
}
