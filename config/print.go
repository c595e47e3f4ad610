package config

import (
	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/structs"
	"github.com/knadh/koanf/v2"
)

// YAML prints the configuration as a file that Load reads again. Paths of secret files are shown, what is in them never
// enters a Config.
func (c Config) YAML() ([]byte, error) {
	k := koanf.New(".")
	if err := k.Load(structs.Provider(c, "koanf"), nil); err != nil {
		return nil, err
	}
	// Durations are written as people write them.
	for _, key := range []string{"shutdown", "upstream.timeout", "limits.timeout", "limits.read_header", "limits.read_body", "limits.body_grace"} {
		if err := k.Set(key, k.Duration(key).String()); err != nil {
			return nil, err
		}
	}
	return k.Marshal(yaml.Parser())
}
