"""The results of the requests of the test's own clients. They repeat requests that the service may
refuse while something is unavailable. One journal serves all threads."""
import collections
import threading
import time

REPEAT_LIMIT = 10  # seconds of calm within which a repeated request must succeed
PAUSE = 0.25
TOLD_LIMIT = 5  # wrong answers to print in the end, for each kind of request


class Journal:
    def __init__(self):
        self._lock = threading.Lock()
        self._away = 0
        self._begin = self._calm_since = time.monotonic()
        self.stopping = threading.Event()
        self.counts = collections.Counter()
        self.wrong = []
        # The longest time for an answer while everything was available, and when the request was
        # first sent, in seconds.
        self.longest = collections.defaultdict(lambda: (0, 0))

    # -- what happens to the cluster ---------------------------------------------

    def start(self):
        """Starts the clock for all printed times. Returns the instant."""
        self._begin = time.monotonic()
        return self._begin

    def disturb(self):
        with self._lock:
            self._away += 1

    def calm(self):
        with self._lock:
            self._away -= 1
            self._calm_since = time.monotonic()

    # -- what the clients see ----------------------------------------------------

    def fail(self, what, why):
        with self._lock:
            self.counts[what, "WRONG"] += 1
            said = f"{time.monotonic() - self._begin:.1f} s: {what}: {why}"
            if self.counts[what, "WRONG"] <= TOLD_LIMIT:
                self.wrong.append(said)

    def count(self, what, outcome):
        with self._lock:
            self.counts[what, outcome] += 1

    def _calm_for(self, begin):
        """How long everything has been available since `begin`; 0 while something is not."""
        with self._lock:
            return 0 if self._away else time.monotonic() - max(begin, self._calm_since)

    def _note(self, what, begin, waited):
        with self._lock:
            if waited > self.longest[what][0]:
                self.longest[what] = waited, begin - self._begin

    def repeat(self, what, attempt, may_break=False, goes_on=False):
        """Calls `attempt` until it returns a good answer, and returns that. Repeats after 503 with
        Retry-After (`away`). With `may_break`, for requests sent to a replica directly, also after
        a broken connection (`broken`). With `goes_on`, also after an answer that was cut, and at
        once after one that its reader left. After any other answer, fails and returns None."""
        begin = time.monotonic()
        while True:
            answer = attempt()
            if answer.is_good():
                self.count(what, "good")
                self._note(what, begin, self._calm_for(begin))
                return answer
            if goes_on and answer.error in ("cut", "left"):
                self.count(what, answer.error)
                begin = time.monotonic() if answer.body else begin
                if answer.error == "left":
                    continue
            elif answer.is_away():
                self.count(what, "away")
            elif answer.error and may_break:
                self.count(what, "broken")
            else:
                self.fail(what, answer)
                return None
            if self._calm_for(begin) > REPEAT_LIMIT:
                self.fail(what, f"not within {REPEAT_LIMIT} s of calm: {answer}")
                return None
            threading.Event().wait(PAUSE)

    def summary(self):
        kinds = sorted({what for what, _ in self.counts})
        for what in kinds:
            said = ", ".join(f"{count} {outcome}" for (of, outcome), count
                             in sorted(self.counts.items()) if of == what)
            seconds, at = self.longest[what]
            yield f"{what}: {said}; the longest in calm {seconds:.2f} s, sent at {at:.1f} s"
