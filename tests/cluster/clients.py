"""The clients of the chaos test besides matchcloud-load. They report lobbies to the ops planes of
all replicas, request exports, download them, read images, and report latencies. They know which
answers are right."""
import hashlib
import itertools
import json
import queue
import random
import signal
import threading

import cluster
import lobbies
from journal import PAUSE

DEMO = "00000000-0000-4000-8000-000000000001"
ASK_AT_ONCE = 3  # clients that want the same export
SLOW_PACE = 0.1  # seconds
STILL_SLOTS, STILL_LOBBIES = 24, 40_000
# Players of a network measure about the same; those of the next network measure that much more.
NETWORKS = ("192.0.2", "198.51.100", "203.0.113")
PLAYERS, SILENT_PLAYER = 200, 250  # in each network: the last part of an address
ROUND_TRIPS = {"lon": 40, "fra": 9, "nrt": 230}  # milliseconds, by region
TIE = 0.2, 0.01  # the difference allowed between predictions: milliseconds, and a share of them
ALL_SLOTS = lobbies.EPOCH_MS, lobbies.EPOCH_MS + STILL_SLOTS * lobbies.SLOT_MS


def at_once(*calls):
    """Calls all of them in threads. Returns when all have returned."""
    threads = [threading.Thread(target=call) for call in calls]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Clients:
    def __init__(self, journal, seed):
        self._journal, self._seed = journal, seed
        self._settled = queue.Queue()  # slots whose lobbies are all acknowledged
        self._slots = itertools.count()
        self._lock = threading.Lock()
        self._threads = []
        # More lobbies of `live` are reported all the time, none of `still` after the start.
        self.live, self.still, self.probed = map(lobbies.Game, (1, 2, 3))
        self.exports = {}  # the exports that requests about `still` got, by span

    def prepare(self):
        ops = cluster.ops_of(cluster.ready_replicas()[0])
        for game in (self.live, self.still, self.probed):
            for path, document in game.documents():
                said = cluster.ask(ops + path, json.dumps(document), "PUT")
                assert said.is_good(), f"{path}: {said}"
        # Other replicas see it within a second.
        for each in cluster.ready_replicas():
            cluster.until("the catalog everywhere", lambda each=each: json.dumps(self.probed.id) in
                          cluster.ask(f"{cluster.ops_of(each)}/v1/games").body.decode(), 10)
        chance = random.Random(self._seed)
        for slot in range(STILL_SLOTS):
            self._report(chance, self.still, slot, STILL_LOBBIES // STILL_SLOTS)
        self._still_csv = self.still.csv(*ALL_SLOTS)
        listed = cluster.json_of(cluster.ask(f"{cluster.URL}/cloud/games/{DEMO}/avatars"))
        self._images = {}
        for each in listed["custom_avatars"]:
            if each["complete"]:
                body = cluster.ask(each["url"]).body
                self._images[each["url"]] = hashlib.sha256(body).digest()

    def begin(self):
        work = [self._ingest, self._ingest, self._export_live, self._export_still,
                self._download_slowly, self._download_slowly, self._download_slowly,
                self._read_images, self._report_latencies, self._report_latencies]
        for number, each in enumerate(work):
            chance = random.Random(f"{self._seed}-{number}")
            self._threads.append(threading.Thread(target=self._run, args=(each, chance)))
            self._threads[-1].start()

    def end(self):
        self._journal.stopping.set()
        for each in self._threads:
            each.join()

    def _run(self, work, chance):
        try:
            while not self._journal.stopping.is_set():
                work(chance)
                self._journal.stopping.wait(chance.uniform(0, 2 * PAUSE))
        except Exception as error:  # whatever it is, the test has failed
            self._journal.fail(work.__name__, repr(error))

    # -- reports -----------------------------------------------------------------

    def deliver(self, what, batch, replica=None):
        """Sends the lines until they are acknowledged, by this replica or by any."""
        def attempt():
            to = replica or random.choice(cluster.replicas())
            return cluster.ask(f"{cluster.ops_of(to)}/v1/lobbies", batch,
                               headers={"Content-Type": "application/x-ndjson"})
        answer = self._journal.repeat(what, attempt, may_break=True)
        if answer is None:
            return False
        said = cluster.json_of(answer)
        if said["rejected_total"] or said["accepted"] + said["unchanged"] != batch.count("\n"):
            self._journal.fail(what, answer)
        return True

    def _ingest(self, chance):
        slot = next(self._slots)
        self._report(chance, self.live, slot, chance.randrange(20, 200))
        self._settled.put(slot)

    def _report(self, chance, game, slot, count):
        made = list(game.make(chance, slot, count))
        whole = [each.whole() for each in made]
        early, late = zip(*(each.parts() for each in made))
        # All to one replica, all to two at once, or the starts to one and the stops to another.
        said = chance.choice([[whole], [whole, whole], [early, late]])
        size = chance.randrange(10, count + 1)
        at_once(*(lambda lines=lines: [self.deliver("lines", batch)
                                       for batch in lobbies.batched(lines, size)]
                  for lines in said))
        with self._lock:
            game.lobbies += made

    def probe(self, replica, slot):
        """Reports one more lobby to this replica."""
        lobby = next(self.probed.make(random.Random(), slot, 1))
        if self.deliver("a line after an event", lobby.whole() + "\n", replica):
            with self._lock:
                self.probed.lobbies.append(lobby)

    def probe_export(self, replica, slot):
        """Requests an export that does not exist yet from this replica."""
        start = lobbies.EPOCH_MS + slot
        self.ask_export(self.still, start, start + lobbies.SLOT_MS // 2 + replica,
                        "export after an event", cluster.url_of(replica))

    # -- exports -----------------------------------------------------------------

    def ask_export(self, game, start, end, what="export", base=cluster.URL):
        """The URL of an export; None if the request failed."""
        answer = self._journal.repeat(what, lambda: cluster.ask(
            f"{base}/cloud/games/{game.id}/matchmaker/lobbies/export-history",
            json.dumps({"query_start": start, "query_end": end})))
        return answer and cluster.json_of(answer)["url"]

    def download(self, url, expected, chance, pace=0, got=b""):
        """Reads the rest of an export after `got`, in parts or until it is cut, and continues from
        there, through the balancer or directly from any replica."""
        direct = not pace and chance.choice([True, False])

        def attempt():
            nonlocal got
            part = None if pace else chance.choice([None, 1 + chance.randrange(len(expected))])
            headers = {"Range": f"bytes={len(got)}-"} if got else {}
            base = cluster.url_of(chance.choice(cluster.replicas())) if direct else cluster.URL
            answer = cluster.ask(url.replace(cluster.URL, base), headers=headers, stop_after=part,
                                 pace=pace)
            if answer.status == (206 if got else 200):
                got += answer.body
            return answer
        what = "slow download" if pace else "download"
        answer = self._journal.repeat(what, attempt, may_break=direct, goes_on=True)
        if answer and got != expected:
            self._journal.fail(what, f"{url}: the {len(got)} bytes are not the "
                                     f"expected {len(expected)}")

    def check_export(self, game, start, end, chance, clients):
        """Several clients request the same export at once, and each downloads its URL."""
        with self._lock:
            expected = game.csv(start, end)
        urls = []

        def one(own):
            url = self.ask_export(game, start, end)
            if not url:
                return
            if not url.startswith(f"{cluster.URL}/exports/"):
                self._journal.fail("export", f"its URL is {url}")
            urls.append(url)
            self.download(url, expected, own)
        at_once(*(lambda own=random.Random(chance.random()): one(own) for _ in range(clients)))
        return {url.split("/exports/")[1].split("/")[0] for url in urls}

    def _export_live(self, chance):
        try:
            slot = self._settled.get(timeout=PAUSE)
        except queue.Empty:
            return
        start = lobbies.EPOCH_MS + slot * lobbies.SLOT_MS
        end = start + lobbies.SLOT_MS
        cut = chance.choice([0, chance.randrange(lobbies.SLOT_MS // 2)])
        self.check_export(self.live, start + cut, end - cut, chance, ASK_AT_ONCE)

    def _export_still(self, chance):
        start = lobbies.EPOCH_MS + chance.randrange((STILL_SLOTS - 2) * lobbies.SLOT_MS)
        end = start + 1 + chance.randrange(2 * lobbies.SLOT_MS)
        self.exports[start, end] = self.check_export(self.still, start, end, chance, ASK_AT_ONCE)

    def _download_slowly(self, chance):
        """Downloads slowly, so that a replica is always sending something when an event happens."""
        if url := self.ask_export(self.still, *ALL_SLOTS):
            self.download(url, self._still_csv, chance, pace=SLOW_PACE)

    def cut_download(self, replica):
        """Kills (-9) a replica that is sending a download, and continues the download elsewhere."""
        url = self.ask_export(self.still, *ALL_SLOTS)
        begun = cluster.ask(url.replace(cluster.URL, cluster.url_of(replica)), pace=SLOW_PACE / 10,
                            midway=lambda: cluster.send(replica, signal.SIGKILL))
        if begun.status != 200 or begun.error != "cut" or not begun.body:
            self._journal.fail("cut download", begun)
        self.download(url, self._still_csv, random.Random(replica), got=begun.body)

    def check_all(self):
        """Exports all acknowledged lobbies and checks them. Returns their number."""
        chance = random.Random(self._seed)
        count = 0
        for game in (self.live, self.still, self.probed):
            count += len(game.lobbies)
            end = max(each.stop for each in game.lobbies) + 1
            self.check_export(game, lobbies.EPOCH_MS, end, chance, 2 * ASK_AT_ONCE)
        return count

    # -- images ------------------------------------------------------------------

    def _read_images(self, chance):
        url = chance.choice(sorted(self._images))
        answer = self._journal.repeat("image", lambda: cluster.ask(url), goes_on=True)
        if answer and hashlib.sha256(answer.body).digest() != self._images[url]:
            self._journal.fail("image", f"{url}: wrong bytes")

    # -- latencies ---------------------------------------------------------------

    def _report_latencies(self, chance):
        """A player reports its measurements to any replica."""
        network = chance.randrange(len(NETWORKS))
        player = f"{NETWORKS[network]}.{chance.randrange(1, PLAYERS)}"
        measured = json.dumps({"latencies": {
            region: usual * (1 + network) * chance.uniform(1, 1.2)
            for region, usual in ROUND_TRIPS.items()}})

        def attempt():
            to = cluster.url_of(chance.choice(cluster.replicas()))
            return cluster.ask(f"{to}/matchmaker/latencies", measured,
                               headers={**cluster.JSON, "X-Forwarded-For": player})
        answer = self._journal.repeat("latencies", attempt, may_break=True)
        if answer and "taken" not in cluster.json_of(answer):
            self._journal.fail("latencies", answer)

    @staticmethod
    def _predictions(replica):
        """What a replica predicts for a player in each network who never reported: {(network,
        region): latency}. None if it has no report from a network, or does not answer."""
        found = {}
        for network in NETWORKS:
            answer = cluster.ask(f"{cluster.url_of(replica)}/matchmaker/regions?fields=latency",
                                 headers={"X-Forwarded-For": f"{network}.{SILENT_PLAYER}"})
            if not answer.is_good():
                return None
            for each in cluster.json_of(answer)["regions"]:
                if each["region_id"] in ROUND_TRIPS:
                    if not each["latency"] or each["latency"]["source"] != "network":
                        return None
                    found[network, each["region_id"]] = each["latency"]["ms"]
        return found

    def agree_on_latencies(self):
        """Whether all replicas have reports from all networks, and predict the same."""
        told = [self._predictions(each) for each in cluster.replicas()]
        return None not in told and all(
            abs(ms - told[0][key]) <= TIE[0] + TIE[1] * ms for each in told
            for key, ms in each.items())
