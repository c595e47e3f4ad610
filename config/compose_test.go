package config

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestDockerfile checks what a linter cannot know: that the image is made of what is here, by the same targets, and that
// it runs as nobody, in one folder, with a health check that needs no shell.
func TestDockerfile(t *testing.T) {
	dockerfile := read(t, "../Dockerfile")
	makefile := read(t, "../Makefile")
	for _, want := range []string{
		"USER 65532:65532", `HEALTHCHECK --interval=15s --timeout=3s --start-period=20s CMD ["/opt/fhirdeid/fhirdeid", "health"]`,
		`ENTRYPOINT ["/opt/fhirdeid/fhirdeid"]`, `CMD ["serve"]`, "VOLUME /data", "RUN make native", "RUN make build",
	} {
		if !strings.Contains(dockerfile, want) {
			t.Errorf("no %s", want)
		}
	}
	for _, target := range []string{"native:", "build:"} {
		if !strings.Contains(makefile, "\n"+target) {
			t.Errorf("the Makefile has no %s", target)
		}
	}
	for _, line := range strings.Split(dockerfile, "\n") {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[0] != "COPY" {
			continue
		}
		for _, source := range fields[1 : len(fields)-1] {
			source = strings.TrimPrefix(source, "/src/")
			if strings.HasPrefix(source, "--") || strings.HasPrefix(source, "build/") || source == "/data" || source == "." {
				continue
			}
			if _, err := os.Stat(filepath.Join("..", source)); err != nil {
				t.Errorf("COPY %s: there is no such thing", source)
			}
		}
	}
	version := regexp.MustCompile(`(?m)^ort_version=(.+)$`).FindStringSubmatch(read(t, "../models/native/build.sh"))
	if version == nil || !strings.Contains(dockerfile, "libonnxruntime.so."+version[1]) {
		t.Errorf("the library is of another version than %v", version)
	}
	if last := strings.LastIndex(dockerfile, "\nFROM "); strings.Contains(dockerfile[last:], "\nRUN ") {
		t.Error("the last stage has no shell to run anything")
	}
	if _, err := Load("", settingsOf(t, regexp.MustCompile(`FHIRDEID_\w+=\S+`).FindAllString(dockerfile, -1), "FHIRDEID_AUTH__INSECURE_NO_AUTH=true"), nil); err != nil {
		t.Errorf("the settings of the image: %v", err)
	}
}

// settingsOf gives an environment and proves that it is not empty.
func settingsOf(t *testing.T, list []string, more ...string) []string {
	t.Helper()
	if len(list) < 3 {
		t.Fatalf("only %q", list)
	}
	return append(list, more...)
}

type service struct {
	Image       string
	Environment map[string]string
	Secrets     []string
	Networks    []string
	Ports       []string
	Volumes     []string
	ReadOnly    bool     `yaml:"read_only"`
	Privileged  bool     `yaml:"privileged"`
	CapDrop     []string `yaml:"cap_drop"`
	Security    []string `yaml:"security_opt"`
}

func TestComposeFile(t *testing.T) {
	var file struct {
		Services map[string]service
		Networks map[string]struct{ Internal bool }
		Volumes  map[string]any
		Secrets  map[string]struct{ File string }
	}
	if err := yaml.Unmarshal([]byte(read(t, "compose.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(file.Services)); !slices.Equal(got, []string{"db", "fhirdeid", "hapi"}) {
		t.Fatalf("services %q", got)
	}
	for name, s := range file.Services {
		if s.Privileged || !slices.Contains(s.Security, "no-new-privileges:true") {
			t.Errorf("%s may gain privileges", name)
		}
		for _, secret := range s.Secrets {
			if file.Secrets[secret].File == "" {
				t.Errorf("%s: there is no secret %s", name, secret)
			}
		}
		for _, n := range s.Networks {
			if _, ok := file.Networks[n]; !ok {
				t.Errorf("%s: there is no network %s", name, n)
			}
		}
		if name != "fhirdeid" && (len(s.Ports) > 0 || !slices.Equal(s.Networks, []string{"back"})) {
			t.Errorf("%s can be reached from outside", name)
		}
		for key, value := range s.Environment {
			if strings.Contains(strings.ToLower(key), "password") && !strings.HasSuffix(key, "_FILE") && value != "" {
				t.Errorf("%s: a password stands in the file", name)
			}
		}
	}
	if !file.Networks["back"].Internal {
		t.Error("the network of the database reaches the world")
	}
	server := file.Services["fhirdeid"]
	if !server.ReadOnly || !slices.Contains(server.CapDrop, "ALL") || !slices.Equal(server.Volumes, []string{"data:/data"}) {
		t.Errorf("the server may write or do more than it must: %+v", server)
	}
	for _, p := range server.Ports {
		if !strings.HasPrefix(p, "127.0.0.1:") {
			t.Errorf("port %s is open to the world", p)
		}
	}
	environ := func(values map[string]string) []string {
		var list []string
		variable := regexp.MustCompile(`\$\{(\w+):-([^}]*)\}`)
		for key, value := range server.Environment {
			list = append(list, key+"="+variable.ReplaceAllStringFunc(value, func(v string) string {
				m := variable.FindStringSubmatch(v)
				if own, ok := values[m[1]]; ok {
					return own
				}
				return m[2]
			}))
		}
		return settingsOf(t, list, "FHIRDEID_LISTEN=0.0.0.0:8080")
	}
	for name, c := range map[string]struct {
		values map[string]string
		taken  bool
	}{
		"as it is":       {nil, false},
		"with an issuer": {map[string]string{"AUTH_ISSUER": "https://idp.example", "AUTH_AUDIENCE": "https://deid.example/fhir"}, true},
		"no audience":    {map[string]string{"AUTH_ISSUER": "https://idp.example"}, false},
		"as a trial":     {map[string]string{"INSECURE_NO_AUTH": "true"}, true},
	} {
		cfg, err := Load("", environ(c.values), nil)
		if (err == nil) != c.taken {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && (cfg.Upstream.Base != "http://hapi:8080/fhir" || cfg.Database.URLFile != "/run/secrets/db_url" || !cfg.Upstream.AllowPrivate) {
			t.Errorf("%s: %+v", name, cfg)
		}
	}
}
