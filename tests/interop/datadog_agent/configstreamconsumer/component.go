// Package configstreamconsumer replaces the agent's module of this name, which the module proxy does not serve: an
// optional component of an agent that gets its configuration from another one, unused here.
package configstreamconsumer

// Component is the part of it that the agent's configuration needs.
type Component interface {
	IsActive() bool
}
