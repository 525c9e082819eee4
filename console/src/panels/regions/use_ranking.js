// The ranking of a place, with the bytes of the listing in it.
import { useEffect, useState } from "../../core/html.js";
import { send } from "../../core/api.js";
import { connections } from "../../core/events.js";
import { parseJson } from "../../core/json.js";
import { token } from "../../core/session.js";
import { rawMember } from "./raw_member.js";

// A region that was just added is ranked within a second; it is not awaited for longer than this.
const most_tries = 10;
const again_ms = 500;

/**
 * The path for the hash's address or coordinates, and its namespace. Null if it has no location.
 */
export function rankingPath(params) {
  const query = new URLSearchParams();
  if (params.get("address")) query.set("address", params.get("address"));
  else if (params.get("latitude") && params.get("longitude")) {
    query.set("latitude", params.get("latitude"));
    query.set("longitude", params.get("longitude"));
  } else return null;
  if (params.get("namespace")) query.set("namespace_id", params.get("namespace"));
  return `/v1/ranking?${query}`;
}

/**
 * Requests the ranking at `path`, or nothing if `path` is null. The last ranking stays until the
 * next one arrives. If the region with the id `awaited` is missing, the ranking is requested again.
 * @returns {{ranking: object|null, listing: string|null, error: Error|null, loading: boolean,
 *   retry: () => void}} `listing` is the text of the reply that a client would get
 */
export function useRanking(path, awaited) {
  const [state, setState] = useState({ ranking: null, listing: null, error: null, loading: false });
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (path === null) {
      setState({ ranking: null, listing: null, error: null, loading: false });
      return undefined;
    }
    const ending = new AbortController();
    setState((before) => ({ ...before, loading: true }));
    const ask = async () => {
      const response = await send("GET", path, { signal: ending.signal });
      const text = await response.text();
      return { ranking: parseJson(text), listing: rawMember(text, "listing"), error: null,
        loading: false };
    };
    ask().then((next) => ending.signal.aborted || setState(next), (error) => {
      if (!ending.signal.aborted) setState({ ranking: null, listing: null, error, loading: false });
    });
    return () => ending.abort();
  }, [path, tries, token.value, connections.value]);
  const { ranking } = state;
  const isMissing = Boolean(awaited && ranking)
    && !ranking.listing.regions.some(({ region_id: id }) => id === awaited);
  useEffect(() => {
    if (!isMissing || tries >= most_tries) return undefined;
    const timer = setTimeout(() => setTries((count) => count + 1), again_ms);
    return () => clearTimeout(timer);
  }, [isMissing, ranking]);
  return { ...state, retry: () => setTries((count) => count + 1) };
}
