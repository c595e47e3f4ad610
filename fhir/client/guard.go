package client

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// kind is where in the net an address lies.
type kind uint8

const (
	public kind = iota
	private
	loopback
	never // link-local, multicast and the like: where cloud machines keep their secrets, and nobody keeps a FHIR server
)

func kindOf(a netip.Addr) kind {
	a = a.Unmap()
	if translated.Contains(a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
	}
	switch {
	case a.IsLoopback():
		return loopback
	case a.IsLinkLocalUnicast(), a.IsMulticast(), a.IsUnspecified(), !a.IsValid():
		return never
	case a.IsPrivate(), carrierGrade.Contains(a):
		return private
	}
	return public
}

// carrierGrade is the shared address space of RFC 6598.
var carrierGrade = netip.MustParsePrefix("100.64.0.0/10")

// translated are the IPv6 addresses of RFC 6052 that lead to the IPv4 address in their last bytes.
var translated = netip.MustParsePrefix("64:ff9b::/96")

// guard checks every address that is connected to: a name must keep pointing to the kind of address that it pointed to
// when the client was made. A name that an attacker turns to an internal address afterwards is refused, and so is an
// internal one that is turned to the world outside.
type guard struct {
	resolver Resolver
	allowed  map[string]map[kind]bool // by host in lower case
}

// resolveTime bounds the first look-up of each name.
const resolveTime = 3 * time.Second

func newGuard(ctx context.Context, resolver Resolver, origins map[string]bool, allowPrivate bool) guard {
	g := guard{resolver, map[string]map[kind]bool{}}
	for o := range origins {
		u, err := url.Parse(o)
		if err != nil {
			continue
		}
		host := strings.ToLower(u.Hostname())
		kinds := map[kind]bool{}
		look, cancel := context.WithTimeout(ctx, resolveTime)
		addresses, _ := resolver.LookupNetIP(look, "ip", host)
		cancel()
		for _, a := range addresses {
			kinds[kindOf(a)] = true
		}
		if len(addresses) == 0 {
			kinds[public] = true // what cannot be resolved now may be public later
		}
		if allowPrivate {
			kinds[private] = true
		}
		delete(kinds, never)
		g.allowed[host] = kinds
	}
	return g
}

// dial resolves a name, checks each address, and connects to the address itself, so that there is no second look-up
// between check and use.
func (g guard) dial(ctx context.Context, dialer *net.Dialer, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, ErrForbidden
	}
	kinds := g.allowed[strings.ToLower(host)]
	addresses, err := g.resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	for _, a := range addresses {
		if !kinds[kindOf(a)] {
			return nil, ErrForbidden
		}
	}
	last := ErrForbidden
	for _, a := range addresses {
		conn, err := dialer.DialContext(ctx, network, net.JoinHostPort(a.Unmap().String(), port))
		if err == nil {
			return conn, nil
		}
		last = err
	}
	return nil, last
}
