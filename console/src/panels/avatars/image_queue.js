// A queue for images: a gallery of thousands must not request thousands at once.

/**
 * Makes a queue that loads at most `most` images at once, in the order of the requests.
 * @template T
 * @param {(path: string, signal: AbortSignal) => Promise<T>} load
 * @param {number} most
 * @returns {(path: string, signal: AbortSignal) => Promise<T>} rejects with an AbortError once the
 *   signal is aborted, also while it waits; then nothing is loaded
 */
export function imageQueue(load, most) {
  const waiting = [];
  let running = 0;

  const next = () => {
    while (running < most && waiting.length > 0) {
      const { path, signal, resolve, reject } = waiting.shift();
      if (signal.aborted) continue;
      ++running;
      load(path, signal).then(resolve, reject).finally(() => {
        --running;
        next();
      });
    }
  };

  return (path, signal) => new Promise((resolve, reject) => {
    const leave = () => reject(new DOMException("No longer wanted.", "AbortError"));
    if (signal.aborted) {
      leave();
      return;
    }
    signal.addEventListener("abort", leave, { once: true });
    waiting.push({ path, signal, resolve, reject });
    next();
  });
}
