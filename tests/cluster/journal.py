"""What became of the requests of the test's own clients, which repeat what a service may refuse
while something is away. One journal for all threads."""
import collections
import threading
import time

REPEAT_LIMIT = 10  # seconds: what is repeated succeeds within these, once all is there again
PAUSE = 0.25
TOLD_LIMIT = 5  # of each kind of request: that many wrong answers are kept for the end


class Journal:
    def __init__(self):
        self._lock = threading.Lock()
        self._away = 0
        self._begin = self._calm_since = time.monotonic()
        self.stopping = threading.Event()
        self.counts = collections.Counter()
        self.wrong = []
        # How long an answer took while all was there, and when it was first asked for, in seconds.
        self.longest = collections.defaultdict(lambda: (0, 0))

    # -- what happens to the cluster ---------------------------------------------

    def start(self):
        """The instant from which all times are told."""
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
        """How long all has been there since `begin`; 0 while something is away."""
        with self._lock:
            return 0 if self._away else time.monotonic() - max(begin, self._calm_since)

    def _note(self, what, begin, waited):
        with self._lock:
            if waited > self.longest[what][0]:
                self.longest[what] = waited, begin - self._begin

    def repeat(self, what, attempt, may_break=False, goes_on=False):
        """Repeats `attempt`, which returns an answer, until it is a good one, and returns that.
        503 with Retry-After counts as `away` and is repeated; so is no answer, as `broken`, where a
        client that asks a replica itself sees that it died. `goes_on`: so is an answer
        that was cut, and at once one that its reader left. Everything else is wrong: None."""
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
                self.fail(what, f"not within {REPEAT_LIMIT} s of the return of all: {answer}")
                return None
            threading.Event().wait(PAUSE)

    def summary(self):
        kinds = sorted({what for what, _ in self.counts})
        for what in kinds:
            said = ", ".join(f"{count} {outcome}" for (of, outcome), count
                             in sorted(self.counts.items()) if of == what)
            seconds, at = self.longest[what]
            yield f"{what}: {said}; the longest in calm {seconds:.2f} s, asked at {at:.1f} s"
