// The listing of regions as a Go author would write it, for script/bench regions: net/http and the
// standard library only, with its own reader of MMDB files, distances after Vincenty, and a cache
// of replies by location.
//
//	regions GEOIP.mmdb REGIONS.json
//
// listens on a port that the kernel chooses, and prints it. REGIONS.json: [{"region_id",
// "region_display_name", "provider_display_name", "datacenter_coord"}]. The client is the right-most
// address of X-Forwarded-For that is not a trusted proxy. Loopback addresses are trusted proxies.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sort"
	"strconv"
	"strings"
)

// The same as for the Fastify peer, for whole replies.
const cacheLimitBytes = 256 << 20

const metresPerMile = 1609.344

type distanceFromClient struct {
	Kilometers float64 `json:"kilometers"`
	Miles      float64 `json:"miles"`
}

type region struct {
	ID       string             `json:"region_id"`
	Name     string             `json:"region_display_name"`
	Provider string             `json:"provider_display_name"`
	Coord    location           `json:"datacenter_coord"`
	Distance distanceFromClient `json:"datacenter_distance_from_client"`
	metres   float64
}

type service struct {
	geoip   *database
	regions []region
	replies *replyCache
}

func rounded(value float64) float64 { return math.Floor(value*1000+0.5) / 1000 }

// render lists the regions, nearest first. Without a location, all distances are 0.
func (s *service) render(client location, known bool) ([]byte, error) {
	ranked := append([]region(nil), s.regions...)
	for i := range ranked {
		each := &ranked[i]
		if known {
			each.metres = distance(client, each.Coord)
		}
		each.Distance = distanceFromClient{rounded(each.metres / 1000),
			rounded(each.metres / metresPerMile)}
	}
	sort.Slice(ranked, func(i, j int) bool {
		if ranked[i].metres != ranked[j].metres {
			return ranked[i].metres < ranked[j].metres
		}
		return ranked[i].ID < ranked[j].ID
	})
	var body bytes.Buffer
	writer := json.NewEncoder(&body)
	writer.SetEscapeHTML(false)
	if err := writer.Encode(map[string]any{"regions": ranked}); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(body.Bytes(), []byte("\n")), nil
}

// clientOf starts at the peer and reads X-Forwarded-For from the right while it finds loopback.
func clientOf(request *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(request.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	client := peer.Addr().Unmap()
	said := strings.Split(strings.Join(request.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(said) - 1; i >= 0 && client.IsLoopback(); i-- {
		next, err := netip.ParseAddr(strings.TrimSpace(said[i]))
		if err != nil {
			break
		}
		client = next.Unmap()
	}
	return client
}

func (s *service) list(writer http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodGet {
		http.Error(writer, "use GET", http.StatusMethodNotAllowed)
		return
	}
	client, known := s.geoip.locate(clientOf(request))
	body, cached := s.replies.get(client, known)
	if !cached {
		var err error
		if body, err = s.render(client, known); err != nil {
			http.Error(writer, err.Error(), http.StatusInternalServerError)
			return
		}
		s.replies.put(client, known, body)
	}
	header := writer.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	writer.Write(body)
}

func run(arguments []string) error {
	if len(arguments) != 2 {
		return fmt.Errorf("usage: regions GEOIP.mmdb REGIONS.json")
	}
	geoip, err := openDatabase(arguments[0])
	if err != nil {
		return err
	}
	text, err := os.ReadFile(arguments[1])
	if err != nil {
		return err
	}
	serving := &service{geoip: geoip, replies: newReplyCache(cacheLimitBytes)}
	if err := json.Unmarshal(text, &serving.regions); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	http.HandleFunc("/matchmaker/regions", serving.list)
	fmt.Printf("listening on http://%s\n", listener.Addr())
	return http.Serve(listener, nil)
}

func main() {
	log.SetFlags(0)
	if err := run(os.Args[1:]); err != nil {
		log.Fatalf("go: %v", err)
	}
}
