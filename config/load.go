package config

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/structs"
	"github.com/knadh/koanf/v2"
)

// SystemFile is read when it is there.
const SystemFile = "/etc/fhirdeid/config.yaml"

// envPrefix begins every environment variable; what only the tests and the build use is no setting.
const envPrefix = "FHIRDEID_"

var notSettings = []string{"FHIRDEID_DATA", "FHIRDEID_CONFIG", "FHIRDEID_TOOLS", "FHIRDEID_CANARIES", "FHIRDEID_KILLS", "FHIRDEID_LOAD"}

// Load reads the configuration from all its sources and validates it. file may be empty; flags holds dotted keys.
func Load(file string, environ []string, flags map[string]any) (Config, error) {
	k := koanf.New(".")
	if err := k.Load(structs.Provider(Default(), "koanf"), nil); err != nil {
		return Config{}, err
	}
	if err := loadFile(k, SystemFile, true); err != nil {
		return Config{}, err
	}
	if file != "" {
		if err := loadFile(k, file, false); err != nil {
			return Config{}, err
		}
	}
	vars := env.Provider(".", env.Opt{
		Prefix:        envPrefix,
		EnvironFunc:   func() []string { return environ },
		TransformFunc: fromEnvironment,
	})
	if err := k.Load(vars, nil); err != nil {
		return Config{}, errors.New("config: the environment cannot be read")
	}
	if err := k.Load(confmap.Provider(flags, "."), nil); err != nil {
		return Config{}, err
	}
	var c Config
	err := k.UnmarshalWithConf("", &c, koanf.UnmarshalConf{Tag: "koanf", DecoderConfig: &mapstructure.DecoderConfig{
		Result: &c, TagName: "koanf", ErrorUnused: true, WeaklyTypedInput: true,
		DecodeHook: mapstructure.ComposeDecodeHookFunc(mapstructure.StringToTimeDurationHookFunc(), mapstructure.StringToSliceHookFunc(",")),
	}})
	if err != nil {
		return Config{}, fmt.Errorf("config: %s", withoutValues(err))
	}
	return c, c.Validate()
}

func loadFile(k *koanf.Koanf, name string, optional bool) error {
	data, err := os.ReadFile(name)
	if optional && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("config: %w", err)
	}
	if err := k.Load(rawBytes(data), yaml.Parser()); err != nil {
		return fmt.Errorf("config: %s is not valid YAML", name)
	}
	return nil
}

// rawBytes is a koanf provider of a file that is read already.
type rawBytes []byte

func (r rawBytes) ReadBytes() ([]byte, error)  { return r, nil }
func (rawBytes) Read() (map[string]any, error) { return nil, errors.New("config: not a map") }

func fromEnvironment(name, value string) (string, any) {
	if slices.Contains(notSettings, name) {
		return "", nil
	}
	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, envPrefix)), "__", "."), value
}

var quotedValue = regexp.MustCompile(`(value|parsing|duration) *:? *["'][^"']*["']`)

// withoutValues keeps the key and the kind of a decoding error, not what stood there.
func withoutValues(err error) string {
	return quotedValue.ReplaceAllString(strings.ReplaceAll(err.Error(), "\n", " "), "$1")
}

// Validate checks what types alone cannot.
func (c Config) Validate() error {
	var errs []error
	bad := func(key, why string) { errs = append(errs, fmt.Errorf("config: %s: %s", key, why)) }
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		bad("listen", "must be host:port")
	}
	if c.Admin != "" {
		if _, _, err := net.SplitHostPort(c.Admin); err != nil {
			bad("admin", "must be host:port")
		}
	}
	if !slices.Contains([]string{"de", "en", "auto"}, c.Language) {
		bad("language", "must be de, en or auto")
	}
	if c.Context == "" || strings.ContainsAny(c.Context, "/\x00") {
		bad("context", "must not be empty or hold a slash")
	}
	if c.Shift.Days < 1 || c.Shift.Days > 3650 || c.Shift.Weeks && c.Shift.Days < 7 {
		bad("shift.days", "must lie between 1 (with weeks: 7) and 3650")
	}
	if c.Models.Lambda > 1 || c.Models.Lambda < 0 && c.Models.Lambda != -1 {
		bad("models.lambda", "must lie between 0 and 1, or be -1")
	}
	for key, u := range map[string]string{
		"base_url": c.BaseURL, "auth.issuer": c.Auth.Issuer, "auth.jwks_url": c.Auth.JWKS,
		"upstream.base": c.Upstream.Base, "upstream.token_url": c.Upstream.TokenURL,
	} {
		if u == "" {
			continue
		}
		if p, err := url.Parse(u); err != nil || p.Host == "" || p.Scheme != "http" && p.Scheme != "https" || p.User != nil {
			bad(key, "must be an http or https URL without user and password")
		}
	}
	if c.Auth.Issuer != "" && c.Auth.Audience == "" {
		bad("auth.audience", "must be given with an issuer: a token for another server is none for this one")
	}
	if len(c.Auth.Algorithms) == 0 {
		bad("auth.algorithms", "must not be empty")
	}
	if c.Upstream.PassToken && c.Upstream.TokenURL != "" {
		bad("upstream.pass_token", "goes with no token_url: one token can be sent")
	}
	if c.Upstream.TokenURL != "" && (c.Upstream.ClientID == "" || c.Upstream.ClientSecretFile == "") {
		bad("upstream.token_url", "needs client_id and client_secret_file")
	}
	for _, alg := range c.Auth.Algorithms {
		if strings.HasPrefix(strings.ToUpper(alg), "HS") || strings.EqualFold(alg, "none") {
			bad("auth.algorithms", "only signatures by a private key are accepted")
		}
	}
	if c.Auth.Issuer == "" && !c.Auth.InsecureNoAuth && !loopback(c.Listen) {
		bad("auth.issuer", "needed on an address other than loopback (or auth.insecure_no_auth, said on purpose)")
	}
	if c.Limits.BodyBytes <= 0 || c.Limits.TextBytes <= 0 || c.Limits.Depth <= 0 || c.Limits.Timeout <= 0 || c.Limits.Concurrent <= 0 || c.Limits.Queue < 0 ||
		c.Limits.ReadHeader <= 0 || c.Limits.ReadBody <= 0 || c.Limits.BodyGrace <= 0 || c.Limits.BodyRate < 0 {
		bad("limits", "must be positive")
	}
	if c.Limits.Bodies < c.Limits.BodyBytes {
		bad("limits.bodies_bytes", "must have room for one body of the greatest size")
	}
	if !slices.Contains([]string{"debug", "info", "warn", "error"}, c.Log.Level) {
		bad("log.level", "must be debug, info, warn or error")
	}
	if !slices.Contains([]string{"json", "text"}, c.Log.Format) {
		bad("log.format", "must be json or text")
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

// NoAuth says whether the server runs without authentication.
func (c Config) NoAuth() bool { return c.Auth.Issuer == "" }

func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
