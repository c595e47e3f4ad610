package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestLoadMergesSourcesInOrder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	write(t, file, "listen: 127.0.0.1:9000\ncontext: study-a\nlimits:\n  depth: 32\n  timeout: 30s\n")
	environ := []string{"FHIRDEID_LIMITS__DEPTH=20", "FHIRDEID_POLICY__ALLOWED=all,safe-harbor", "FHIRDEID_DATA=elsewhere", "HOME=/root"}
	c, err := Load(file, environ, map[string]any{"listen": "127.0.0.1:9001"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != "127.0.0.1:9001" || c.Context != "study-a" || c.Limits.Depth != 20 || c.Limits.Timeout != 30*time.Second {
		t.Errorf("got %+v", c)
	}
	if len(c.Policy.Allowed) != 2 || c.Policy.Allowed[1] != "safe-harbor" {
		t.Errorf("allowed %q", c.Policy.Allowed)
	}
}

func TestLoadRefuses(t *testing.T) {
	cases := map[string]string{
		"unknown: 1\n":                                        "unknown",
		"limits:\n  dpeth: 3\n":                               "dpeth",
		"listen: 0.0.0.0:80\n":                                "auth.issuer",
		"auth:\n  issuer: https://idp.example\n":              "auth.audience",
		"auth:\n  algorithms: [HS256]\n":                      "auth.algorithms",
		"language: fr\n":                                      "language",
		"upstream:\n  base: ftp://x\n":                        "upstream.base",
		"upstream:\n  base: https://u:geheim@x\n":             "upstream.base",
		"shift:\n  days: 0\n":                                 "shift.days",
		"limits:\n  timeout: geheimnis\n":                     "limits",
		"a: [\n":                                              "YAML",
		"models:\n  lambda: 2\n":                              "models.lambda",
		"log:\n  level: loud\n":                               "log.level",
		"auth:\n  algorithms: []\n":                           "auth.algorithms",
		"limits:\n  bodies_bytes: 1000\n":                     "limits.bodies_bytes",
		"limits:\n  body_grace: 0s\n":                         "limits",
		"upstream:\n  token_url: https://idp.example/token\n": "upstream.token_url",
		"upstream:\n  pass_token: true\n  token_url: https://idp.example/token\n": "upstream.pass_token",
		"context: a/b\n": "context",
	}
	for text, want := range cases {
		file := filepath.Join(t.TempDir(), "config.yaml")
		write(t, file, text)
		_, err := Load(file, nil, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error that names %s", text, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "geheim") {
			t.Errorf("%q: the error quotes the value: %v", text, err)
		}
	}
	if _, err := Load("does-not-exist.yaml", nil, nil); err == nil {
		t.Error("a missing file was accepted")
	}
}

func TestYAMLIsReadAgain(t *testing.T) {
	c := Default()
	c.Context = "registry"
	c.Limits.Timeout = 7 * time.Second
	text, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "config.yaml")
	write(t, file, string(text))
	again, err := Load(file, nil, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	second, _ := again.YAML()
	if string(second) != string(text) || again.Limits.Timeout != 7*time.Second {
		t.Errorf("got\n%s\nwant\n%s", second, text)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
