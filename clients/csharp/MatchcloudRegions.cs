// Finds the fastest region for this player. It measures round trips to the nearest regions of a
// matchcloud service and reports them. The service orders its regions by them, and can predict
// latencies for others. For .NET (netstandard2.1) and Unity 2021 or later; not for WebGL.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Net.Http;
using System.Runtime.Serialization.Json;
using System.Threading;
using System.Threading.Tasks;
using System.Xml;
using System.Xml.Linq;

namespace Matchcloud {
/// <summary>The service refused a request, or did not answer (Status is 0). If RetryAfterMs is not
/// 0, the service wants no further request before that time has passed.</summary>
public sealed class MatchcloudException : Exception {
  public int Status, RetryAfterMs;
  public string Code, Detail;
  public MatchcloudException(string message, Exception cause = null) : base(message, cause) {}
}

/// <summary>PingUrl is null if the region cannot be measured, LatencyMs if it was not.</summary>
public sealed class Region {
  public string RegionId, RegionDisplayName, ProviderDisplayName, PingUrl;
  public double? Kilometers, LatencyMs;
}

/// <summary>The regions of a service. Works on the thread pool, so no frame delays it.</summary>
public sealed class MatchcloudRegions {
  // Round trips measured per region, and how many must succeed; regions in all, and at once.
  const int SamplesWanted = 5, SamplesNeeded = 3, RegionLimit = 16, RegionsAtOnce = 4;
  const int OpeningFactor = 4; // The round trips of a new connection: DNS, TCP, TLS, request.
  readonly string url;
  /// <summary>Sends all requests. Replace it to use a handler of your own.</summary>
  public static HttpClient Http = new HttpClient(new HttpClientHandler {
    AllowAutoRedirect = false, UseCookies = false, MaxConnectionsPerServer = RegionLimit });
  /// <summary>A player's token, if the service wants one.</summary>
  public string Token;
  /// <summary>How many regions are measured, 16 at most; limits of a ping and of a call.</summary>
  public int Count = 6, TimeoutMs = 1000, LimitMs = 5000;

  public MatchcloudRegions(string service) => url = service.TrimEnd('/') + "/matchmaker/";

  /// <summary>Lists, measures and reports. Returns the regions, best first.</summary>
  public async Task<List<Region>> ChooseAsync(CancellationToken cancel = default) {
    var regions = await ListAsync(null, cancel).ConfigureAwait(false);
    var latencies = await MeasureAsync(regions, cancel).ConfigureAwait(false);
    if (latencies.Count == 0) return regions;
    _ = ReportAsync(latencies, cancel); // Never fails, and nobody waits for it.
    return await ListAsync(latencies, cancel).ConfigureAwait(false);
  }

  /// <summary>The regions as the service orders them: those in `latencies` first.</summary>
  public Task<List<Region>> ListAsync(IReadOnlyDictionary<string, double> latencies = null,
      CancellationToken cancel = default) => Task.Run(async () => {
    latencies = latencies ?? new Dictionary<string, double>();
    var rtt = string.Join(",", latencies.Where(one => one.Value > 0) // Others did not answer.
      .Select(one => one.Key + ":" + XmlConvert.ToString(one.Value)));
    var query = "regions?fields=ping_url" + (rtt == "" ? "" : "&rtt=" + Uri.EscapeDataString(rtt));
    var said = await Ask(query, null, "regions", cancel);
    var regions = said.Elements().Select(one => new Region {
      RegionId = (string)one.Element("region_id"), PingUrl = (string)one.Element("ping_url"),
      RegionDisplayName = (string)one.Element("region_display_name"),
      ProviderDisplayName = (string)one.Element("provider_display_name"),
      Kilometers = (double?)one.Element("datacenter_distance_from_client")?.Element("kilometers")
    }).ToList();
    foreach (var one in regions)
      if (latencies.ContainsKey(one.RegionId)) one.LatencyMs = latencies[one.RegionId];
    return regions;
  });

  /// <summary>Milliseconds by id of the regions that answered. Throws only if cancelled.</summary>
  public Task<Dictionary<string, double>> MeasureAsync(IEnumerable<Region> regions,
      CancellationToken cancel = default) => Task.Run(async () => {
    var due = regions.Where(one => one.PingUrl != null).Take(Math.Min(Count, RegionLimit)).ToList();
    using (var limit = Within(LimitMs, cancel))
    using (var turns = new SemaphoreSlim(RegionsAtOnce)) {
      var medians = await Task.WhenAll(due.Select(one => Median(one.PingUrl, turns, limit.Token)));
      cancel.ThrowIfCancellationRequested();
      return Enumerable.Range(0, due.Count).Where(at => medians[at] != null)
        .ToDictionary(at => due[at].RegionId, at => medians[at].Value);
    }
  });

  /// <summary>Returns whether the service learns from the report. Never throws.</summary>
  public Task<bool> ReportAsync(IReadOnlyDictionary<string, double> latencies,
      CancellationToken cancel = default) => Task.Run(async () => {
    var members = latencies.Select(one => $"\"{one.Key}\":{XmlConvert.ToString(one.Value)}");
    var body = "{\"latencies\":{" + string.Join(",", members) + "}}";
    try { return (bool)await Ask("latencies", body, "taken", cancel); }
    catch (Exception) { return false; }
  });

  HttpRequestMessage Request(string path, string body) {
    var request = new HttpRequestMessage(new HttpMethod(body == null ? "GET" : "POST"), url + path);
    if (body != null) request.Content = new StringContent(body, null, "application/json");
    if (Token != null) request.Headers.Add("Authorization", "Bearer " + Token);
    return request;
  }

  // Sends `body`, or a GET if it is null, and returns the `member` of the answer. Repeats it when
  // the service says so (Retry-After), if that is within LimitMs.
  async Task<XElement> Ask(string path, string body, string member, CancellationToken cancel) {
    var watch = Stopwatch.StartNew();
    try {
      using (var limit = Within(LimitMs, cancel))
      for (;;) using (var response = await Http.SendAsync(Request(path, body), limit.Token)) {
        var json = response.Content?.Headers.ContentType?.MediaType?.EndsWith("json") == true;
        var text = json ? await response.Content.ReadAsByteArrayAsync() : new byte[] { 0x7b, 0x7d };
        var quotas = XmlDictionaryReaderQuotas.Max;
        var said = XElement.Load(JsonReaderWriterFactory.CreateJsonReader(text, quotas));
        if (response.IsSuccessStatusCode && said.Element(member) is XElement found) return found;
        var wait = response.Headers.RetryAfter?.Delta ?? TimeSpan.Zero;
        if (wait > TimeSpan.Zero && watch.Elapsed + wait < TimeSpan.FromMilliseconds(LimitMs)) {
          await Task.Delay(wait, limit.Token);
          continue;
        }
        var detail = (string)said.Element("detail") ?? "not an answer of matchcloud";
        throw new MatchcloudException($"{url}{path}: {(int)response.StatusCode}: {detail}") {
          Status = (int)response.StatusCode, Code = (string)said.Element("code"), Detail = detail,
          RetryAfterMs = (int)wait.TotalMilliseconds };
      }
    } catch (Exception error) when (!(error is MatchcloudException)) {
      cancel.ThrowIfCancellationRequested();
      throw new MatchcloudException($"{url}{path}: {error.Message}", error);
    }
  }

  // The median of the round trips in ms, to 0.1; null if too few succeeded.
  async Task<double?> Median(string pingUrl, SemaphoreSlim turns, CancellationToken cancel) {
    var samples = new List<double>();
    double? last = null;
    await turns.WaitAsync();
    for (var sent = 0; sent < SamplesWanted; ++sent) {
      // The first request opens a connection and does not count. Nor does one after a failure.
      if ((last ?? await Ping(pingUrl, TimeoutMs * OpeningFactor, cancel)) == null) break;
      last = await Ping(pingUrl, TimeoutMs, cancel);
      if (last != null) samples.Add(last.Value);
    }
    turns.Release();
    if (samples.Count < SamplesNeeded) return null;
    samples.Sort();
    var median = (samples[(samples.Count - 1) / 2] + samples[samples.Count / 2]) / 2;
    return Math.Max(0.1, Math.Round(median, 1)); // 0 is no round trip.
  }

  // How long a request took, in ms; null if it failed.
  async Task<double?> Ping(string pingUrl, int timeoutMs, CancellationToken cancel) {
    var watch = Stopwatch.StartNew();
    try {
      using (var limit = Within(timeoutMs, cancel))
      using (var response = await Http.GetAsync(pingUrl, limit.Token))
        return response.IsSuccessStatusCode ? watch.Elapsed.TotalMilliseconds : default(double?);
    } catch (Exception) { return null; }
  }

  static CancellationTokenSource Within(int ms, CancellationToken cancel) {
    var limit = CancellationTokenSource.CreateLinkedTokenSource(cancel);
    limit.CancelAfter(ms);
    return limit;
  }
}
}
