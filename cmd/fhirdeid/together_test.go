package main

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"fhirdeid/fhir/store/storetest"
)

// TestTwoServersOnOneDatabase has two processes de-identify the same patient's documents at once: there is one pseudonym.
// A third one with another master key is turned away.
func TestTwoServersOnOneDatabase(t *testing.T) {
	pg := storetest.StartPostgres(t, "")
	key := func(b byte) string {
		name := filepath.Join(t.TempDir(), "master.key")
		if err := os.WriteFile(name, []byte(hex.EncodeToString([]byte(strings.Repeat(string(rune(b)), 32)))), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	s := settings{"database.url_file": urlFile(t, pg.Database(t)), "master_key_file": key('a'), "limits.concurrent": "4"}
	servers := make([]*process, 2)
	var starting sync.WaitGroup
	for n := range servers {
		own := settings{"data_dir": t.TempDir()}
		for k, v := range s {
			own[k] = v
		}
		starting.Go(func() { servers[n] = startProcess(t, own, childPlan{}) })
	}
	starting.Wait()
	var mu sync.Mutex
	patients, documents := map[string]int{}, map[string]int{}
	var wg sync.WaitGroup
	for n := range 24 {
		wg.Go(func() {
			body := fmt.Sprintf(`{"resourceType":"Bundle","type":"collection","entry":[{"resource":%s},{"resource":{"resourceType":"DocumentReference","id":"d%d","status":"current","subject":{"reference":"Patient/p1"}}}]}`, thePatient, n/4)
			r, err := send(t.Context(), "POST", servers[n%2].base+"/$deidentify", body)
			if err != nil || r.status != 200 {
				t.Errorf("%d %.300s %v", r.status, r.body, err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			patients[r.ids("Patient")[0]]++
			documents[r.ids("DocumentReference")[0]]++
		})
	}
	wg.Wait()
	if len(patients) != 1 || len(documents) != 6 {
		t.Errorf("pseudonyms of one patient: %v; of six documents: %v", patients, documents)
	}
	s["master_key_file"] = key('b')
	other, err := tryProcess(t, s, childPlan{})
	if err == nil || !strings.Contains(other.log.String(), "another master key") {
		t.Errorf("a server with another key: %v %s", err, other.log)
	}
	for _, p := range servers {
		if code := p.stop(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
	s["master_key_file"] = key('a')
	rt := openAsServer(t, s)
	defer rt.Close()
	if n, _, err := rt.db.VerifyAudit(t.Context()); n != 24 || err != nil {
		t.Errorf("%d entries in the trail, %v", n, err)
	}
}
