// Package config holds the one configuration of the program: its fields, defaults, sources and validation.
//
// Sources, later ones win: defaults, /etc/fhirdeid/config.yaml, the file given by --config, environment variables
// (FHIRDEID_ with __ between levels: FHIRDEID_LIMITS__BODY_BYTES), flags. Secrets stand in files, never in the
// configuration itself, so that printing it is harmless.
package config

import (
	"os"
	"path/filepath"
	"time"
)

// Config is the whole configuration. An unknown key in any source is an error.
type Config struct {
	Listen    string        `koanf:"listen"`             // public address, host:port
	Admin     string        `koanf:"admin"`              // address of the metrics; empty: none
	BaseURL   string        `koanf:"base_url"`           // how clients reach the server; empty: from Listen
	DataDir   string        `koanf:"data_dir"`           // database and generated key
	MasterKey string        `koanf:"master_key_file"`    // file of 32 bytes or 64 hex digits; empty: made once in DataDir
	Context   string        `koanf:"context"`            // project; salts all keys
	Language  string        `koanf:"language"`           // de, en, auto
	AllowAny  bool          `koanf:"allow_any_language"` // read other languages with a warning instead of refusing them
	Shift     Shift         `koanf:"shift"`
	Policy    Policy        `koanf:"policy"`
	Models    Models        `koanf:"models"`
	Dicts     []string      `koanf:"dictionaries"`    // user dictionaries: TAB separated term and label
	Inclusion []string      `koanf:"inclusion_lists"` // sentences known to hold no PHI, which the models pass over
	Templates []string      `koanf:"templates"`       // reviewed sentence templates, see fhirdeid template harvest
	Database  Database      `koanf:"database"`
	Auth      Auth          `koanf:"auth"`
	Upstream  Upstream      `koanf:"upstream"`
	Limits    Limits        `koanf:"limits"`
	Log       Log           `koanf:"log"`
	Telemetry Telemetry     `koanf:"telemetry"`
	Shutdown  time.Duration `koanf:"shutdown"` // time for requests in flight when the server stops
}

// Shift bounds the patient's date shift.
type Shift struct {
	Days  int  `koanf:"days"`  // at most this many days in either direction, never 0
	Weeks bool `koanf:"weeks"` // whole weeks only, so that weekdays stay true
}

// Policy says which policies may be used.
type Policy struct {
	Default  string   `koanf:"default"`
	Dir      string   `koanf:"dir"`      // folder of the site's own YAML policies
	Allowed  []string `koanf:"allowed"`  // that a request may name; empty: the default only
	Methods  []string `koanf:"methods"`  // methods that a request may name; empty: none
	Contexts []string `koanf:"contexts"` // contexts that a request may name; empty: the configured one only
}

// Models says which model packs read the text.
type Models struct {
	Use     string   `koanf:"use"`     // auto: the packs present; none; or names joined by comma
	Dirs    []string `koanf:"dirs"`    // folders of packs, beside the built-in ones
	Library string   `koanf:"library"` // path of libonnxruntime; empty: beside the binary
	Lambda  float64  `koanf:"lambda"`  // negative-class bias 0 to 1; -1: the pack's own
	Threads int      `koanf:"threads"` // 0: one per core
}

// Database says where results and lineage are kept.
type Database struct {
	URLFile string `koanf:"url_file"` // file with a PostgreSQL URL; empty: an encrypted SQLite file in DataDir
}

// Auth says whose tokens are accepted.
type Auth struct {
	Issuer         string            `koanf:"issuer"`
	Audience       string            `koanf:"audience"`
	JWKS           string            `koanf:"jwks_url"` // empty: found by the issuer's discovery document
	Algorithms     []string          `koanf:"algorithms"`
	CAFile         string            `koanf:"ca_file"`
	Clients        map[string]Client `koanf:"clients"`
	InsecureNoAuth bool              `koanf:"insecure_no_auth"` // needed to run without an issuer on another address than loopback
}

// Client is what one client (the token's client_id or azp) may choose beyond the server's own settings.
type Client struct {
	Policies []string `koanf:"policies"`
	Methods  []string `koanf:"methods"`
	Contexts []string `koanf:"contexts"`
}

// Upstream is the FHIR server that resources are pulled from.
type Upstream struct {
	Base             string        `koanf:"base"`
	Origins          []string      `koanf:"allowed_origins"` // further origins of absolute URLs, scheme://host:port
	AllowPrivate     bool          `koanf:"allow_private_addresses"`
	PassToken        bool          `koanf:"pass_token"` // hand the caller's token on
	TokenURL         string        `koanf:"token_url"`  // or client credentials
	ClientID         string        `koanf:"client_id"`
	ClientSecretFile string        `koanf:"client_secret_file"`
	Scope            string        `koanf:"scope"`
	CAFile           string        `koanf:"ca_file"`
	Timeout          time.Duration `koanf:"timeout"`
	MaxBytes         int64         `koanf:"max_bytes"`
	Retries          int           `koanf:"retries"`
}

// Limits keep one request from taking the server down.
type Limits struct {
	BodyBytes  int64         `koanf:"body_bytes"`   // of one request, as sent and unpacked
	Bodies     int64         `koanf:"bodies_bytes"` // of all requests that are held at a time
	TextBytes  int64         `koanf:"text_bytes"`
	Depth      int           `koanf:"depth"`
	Timeout    time.Duration `koanf:"timeout"`
	Concurrent int           `koanf:"concurrent"` // requests worked on at once
	Queue      int           `koanf:"queue"`      // requests that may wait; more get 429
	Rate       float64       `koanf:"rate"`       // requests a second and client; 0: no limit
	Burst      int           `koanf:"burst"`
	ReadHeader time.Duration `koanf:"read_header"`
	ReadBody   time.Duration `koanf:"read_body"`
	BodyGrace  time.Duration `koanf:"body_grace"` // time for a body to begin, after which it must keep to BodyRate
	BodyRate   int64         `koanf:"body_rate"`  // bytes a second; 0: no limit but ReadBody
}

// Log says what is written to stderr.
type Log struct {
	Level  string `koanf:"level"`  // debug, info, warn, error
	Format string `koanf:"format"` // json, text
}

// Telemetry says where traces go.
type Telemetry struct {
	OTLP string `koanf:"otlp_endpoint"` // empty: none
}

// Default is a server on the loopback address with an SQLite file, no upstream and no authentication.
func Default() Config {
	return Config{
		Listen:   "127.0.0.1:8080",
		Admin:    "",
		DataDir:  defaultDataDir(),
		Context:  "default",
		Language: "auto",
		Shift:    Shift{Days: 365},
		Policy:   Policy{Default: "all", Allowed: []string{"all", "safe-harbor", "safe-harbor-plus-providers"}},
		Models:   Models{Use: "auto", Lambda: -1},
		Auth:     Auth{Algorithms: []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}},
		Upstream: Upstream{Timeout: 20 * time.Second, MaxBytes: 64 << 20, Retries: 2},
		Limits: Limits{
			BodyBytes: 64 << 20, Bodies: 512 << 20, TextBytes: 32 << 20, Depth: 64, Timeout: 120 * time.Second,
			Concurrent: 16, Queue: 64, Burst: 20, ReadHeader: 10 * time.Second, ReadBody: 60 * time.Second,
			BodyGrace: 10 * time.Second, BodyRate: 16 << 10,
		},
		Log:      Log{Level: "info", Format: "json"},
		Shutdown: 20 * time.Second,
	}
}

func defaultDataDir() string {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "fhirdeid")
	}
	if home, err := os.UserHomeDir(); err == nil {
		return filepath.Join(home, ".local", "state", "fhirdeid")
	}
	return "fhirdeid-data"
}
