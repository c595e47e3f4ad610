package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// loadRun says how much load there is.
type loadRun struct {
	clients  int
	requests int           // of each client; 0: as many as the time allows
	time     time.Duration // 0: no limit
}

// load reads FHIRDEID_LOAD, such as 60s, for which 200 clients then send; `make test` has a few clients send a few
// requests.
func load(t *testing.T) loadRun {
	t.Helper()
	text := os.Getenv("FHIRDEID_LOAD")
	if text == "" {
		return loadRun{clients: 20, requests: 4}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > 10*time.Minute {
		t.Fatal("FHIRDEID_LOAD must be a time of at most ten minutes")
	}
	return loadRun{clients: 200, time: d}
}

// bodies are requests of different sizes: most are small, few are large.
func bodies() []string {
	bundle := func(sentences int) string {
		text := letter + strings.Repeat("\nDer weitere Verlauf war komplikationslos, Herr Quittenbaum wurde am 14.05.2023 entlassen.", sentences)
		return fmt.Sprintf(`{"resourceType":"Bundle","type":"collection","entry":[{"resource":%s},{"resource":{"resourceType":"DocumentReference","id":"d1","status":"current","subject":{"reference":"Patient/p1"},"content":[{"attachment":{"contentType":"text/plain","data":%q}}]}}]}`,
			thePatient, base64.StdEncoding.EncodeToString([]byte(text)))
	}
	small, usual, long, huge := bundle(1), bundle(40), bundle(400), bundle(4000)
	list := slices.Repeat([]string{small}, 60)
	list = append(list, slices.Repeat([]string{usual}, 33)...)
	list = append(list, slices.Repeat([]string{long}, 6)...)
	return append(list, huge)
}

// TestLoad has more clients than places send requests of mixed sizes, with slow, oversized and endless ones among them.
// What is over the limit is told to come again, nothing fails, and memory stays flat.
func TestLoad(t *testing.T) {
	run := load(t)
	s := settings{
		"limits.concurrent": "4", "limits.queue": "60", "limits.read_header": "3s", "limits.body_grace": "3s", "limits.body_bytes": strconv.Itoa(8 << 20),
		"data_dir": t.TempDir() + "/data",
	}
	if run.requests > 0 {
		s["limits.concurrent"], s["limits.queue"] = "2", "6"
	}
	p := startProcess(t, s, childPlan{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if run.time > 0 {
		ctx, cancel = context.WithTimeout(t.Context(), run.time)
		defer cancel()
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: run.clients, MaxConnsPerHost: run.clients}}
	var mu sync.Mutex
	var took []time.Duration
	statuses := map[int]int{}
	list := bodies()
	var memory []int64
	sampling := make(chan struct{})
	go func() {
		defer close(sampling)
		tick := time.NewTicker(500 * time.Millisecond)
		defer tick.Stop()
		for {
			memory = append(memory, p.memory(t))
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	cutOff := nuisances(t, p, run)
	var wg sync.WaitGroup
	var turn atomic.Int64
	for range run.clients {
		wg.Go(func() {
			for done := 0; ctx.Err() == nil && (run.requests == 0 || done < run.requests); {
				body := list[int(turn.Add(1)*37)%len(list)]
				start := time.Now()
				status, after, err := post(client, p.base+"/$deidentify", body)
				mu.Lock()
				if err != nil {
					statuses[0]++
				} else {
					statuses[status]++
				}
				if status == 200 {
					took = append(took, time.Since(start))
				}
				mu.Unlock()
				if err != nil {
					t.Errorf("a request failed: %v", err)
					return
				}
				if status != 429 {
					done++
					continue
				}
				if after <= 0 {
					t.Error("429 without Retry-After")
				}
				pause := after
				if run.requests > 0 {
					pause = 20 * time.Millisecond
				}
				select {
				case <-time.After(pause):
				case <-ctx.Done():
				}
			}
		})
	}
	wg.Wait()
	cancel()
	<-sampling
	cutOff()
	for status, n := range statuses {
		if status != 200 && status != 429 {
			t.Errorf("status %d, %d times", status, n)
		}
	}
	if statuses[200] == 0 || statuses[429] == 0 {
		t.Errorf("statuses %v: the load did not reach the limit", statuses)
	}
	slices.Sort(took)
	t.Logf("%d clients: %v; answered ones took p50 %v, p99 %v, at most %v", run.clients, statuses,
		took[len(took)/2].Round(time.Millisecond), took[len(took)*99/100].Round(time.Millisecond), took[len(took)-1].Round(time.Millisecond))
	early, late := median(memory[len(memory)/4:len(memory)/2+1]), median(memory[len(memory)*3/4:])
	t.Logf("resident memory: %d MB in the second quarter, %d MB in the last, at most %d MB", early>>20, late>>20, slices.Max(memory)>>20)
	if run.time >= 30*time.Second && late > early+early/4+64<<20 {
		t.Errorf("memory grows: %d MB, then %d MB", early>>20, late>>20)
	}
	if r := mustSend(t, "GET", strings.TrimSuffix(p.base, "/fhir")+"/readyz", ""); r.status != 200 {
		t.Errorf("after the load: %d", r.status)
	}
	if code := p.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	rt := openAsServer(t, s)
	defer rt.Close()
	if n, _, err := rt.db.VerifyAudit(t.Context()); int(n) < statuses[200] || err != nil {
		t.Errorf("%d entries in the trail, %v", n, err)
	}
}

func post(client *http.Client, address, body string) (status int, after time.Duration, err error) {
	req, err := http.NewRequest(http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		return 0, 0, err
	}
	req.Header.Set("Content-Type", "application/fhir+json")
	res, err := client.Do(req)
	if err != nil {
		return 0, 0, err
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return 0, 0, err
	}
	seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
	return res.StatusCode, time.Duration(seconds) * time.Second, nil
}

func median(list []int64) int64 {
	list = slices.Clone(list)
	slices.Sort(list)
	return list[len(list)/2]
}

// nuisances are clients that send headers by drops, bodies by drops, bodies that are too large and bodies without end.
// What comes back waits until the server has cut all of them off.
func nuisances(t *testing.T, p *process, run loadRun) func() {
	t.Helper()
	u, err := url.Parse(p.base)
	if err != nil {
		t.Fatal(err)
	}
	const head = "POST /fhir/$deidentify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
	kinds := map[string]func(net.Conn, int) error{
		"header by drops": func(c net.Conn, n int) error {
			if n == 0 {
				_, err := io.WriteString(c, head)
				return err
			}
			time.Sleep(100 * time.Millisecond)
			_, err := io.WriteString(c, "X")
			return err
		},
		"body by drops": func(c net.Conn, n int) error {
			if n == 0 {
				_, err := io.WriteString(c, head+"Content-Length: 100000\r\n\r\n{")
				return err
			}
			time.Sleep(100 * time.Millisecond)
			_, err := io.WriteString(c, " ")
			return err
		},
		"too large": func(c net.Conn, n int) error {
			if n == 0 {
				_, err := io.WriteString(c, head+"Content-Length: 1000000000\r\n\r\n")
				return err
			}
			_, err := c.Write(make([]byte, 64<<10))
			return err
		},
		"without end": func(c net.Conn, n int) error {
			if n == 0 {
				_, err := io.WriteString(c, head+"Transfer-Encoding: chunked\r\n\r\n")
				return err
			}
			_, err := fmt.Fprintf(c, "%x\r\n%s\r\n", 64<<10, strings.Repeat(" ", 64<<10))
			return err
		},
	}
	each := 1
	if run.time > 0 {
		each = 10
	}
	var wg sync.WaitGroup
	for name, send := range kinds {
		for range each {
			wg.Go(func() {
				conn, err := net.Dial("tcp", u.Host)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				defer conn.Close()
				for n := 0; err == nil; n++ {
					err = send(conn, n)
				}
			})
		}
	}
	return wg.Wait // a client that is never cut off keeps the test from ending
}
