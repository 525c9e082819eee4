// Runs clients/csharp/MatchcloudRegions.cs for region_clients.mjs: a run per line of standard
// input, with tabs between the words:
//
//   ACTION BASE TOKEN COUNT TIMEOUT_MS LIMIT_MS [REGION=URL.. | REGION=MS..]
//
// Prints what came back, a line per region, or error with what is in it, and then a line "end". The
// line "cancel" cancels the run.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Matchcloud;

static class RegionClient {
  static readonly CultureInfo Plain = CultureInfo.InvariantCulture;
  // Mono's Console.Out waits for Console.In.
  static readonly StreamWriter Output = new StreamWriter(Console.OpenStandardOutput());

  static void Print(params object[] fields) {
    Output.Write(string.Join("\t", fields.Select(one => Convert.ToString(one, Plain))) + "\n");
    Output.Flush();
  }

  static void Print(IEnumerable<Region> regions) {
    foreach (var one in regions)
      Print(one.RegionId, one.RegionDisplayName, one.LatencyMs, one.PingUrl);
  }

  static async Task Act(string action, MatchcloudRegions client, List<string[]> pairs,
      CancellationToken cancel) {
    if (action == "choose") Print(await client.ChooseAsync(cancel));
    if (action == "measure") {
      var regions = pairs.Select(one => new Region { RegionId = one[0], PingUrl = one[1] });
      foreach (var one in await client.MeasureAsync(regions, cancel)) Print(one.Key, one.Value);
    }
    if (action != "list" && action != "report") return;
    var latencies = pairs.ToDictionary(one => one[0], one => double.Parse(one[1], Plain));
    if (action == "list") Print(await client.ListAsync(latencies, cancel));
    else Print(await client.ReportAsync(latencies, cancel) ? "true" : "false");
  }

  static async Task Run(string[] words, CancellationToken cancel) {
    var client = new MatchcloudRegions(words[1]) { Token = words[2] == "" ? null : words[2],
      Count = int.Parse(words[3]), TimeoutMs = int.Parse(words[4]), LimitMs = int.Parse(words[5]) };
    var pairs = words.Skip(6).Select(word => word.Split(new[] { '=' }, 2)).ToList();
    try {
      await Act(words[0], client, pairs, cancel);
    } catch (OperationCanceledException) {
      Print("error", "cancelled");
    } catch (MatchcloudException error) {
      Print("error", "MatchcloudError", error.Status, error.Code, error.Detail, error.Message);
    } catch (Exception error) {
      Print("error", error.GetType(), 0, "", "", error.Message);
    }
    Print("end");
  }

  static void Main() {
    // A culture that writes numbers with a comma, as many players have.
    CultureInfo.DefaultThreadCurrentCulture = new CultureInfo("de-DE");
    var input = new StreamReader(Console.OpenStandardInput());
    var cancel = new CancellationTokenSource();
    for (var line = input.ReadLine(); line != null; line = input.ReadLine()) {
      if (line == "cancel") {
        cancel.Cancel();
        continue;
      }
      cancel = new CancellationTokenSource();
      _ = Run(line.Split('\t'), cancel.Token);
    }
  }
}
