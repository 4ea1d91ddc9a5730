// The Datadog agent's own configuration, metric types, serializer and forwarder, as its DogStatsD server uses them. It reads
// DogStatsD lines from standard input. An empty line flushes what arrived since the last one, as the agent does every ten seconds;
// "?" prints the forwarder's counters as JSON on one line. It stops at the end of the input.
//
// usage: datadog-agent-core CONFIG <LINES
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"expvar"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"go.uber.org/fx"

	"github.com/DataDog/datadog-agent/comp/core/config"
	delegatedauth "github.com/DataDog/datadog-agent/comp/core/delegatedauth/fx-noop"
	agentlog "github.com/DataDog/datadog-agent/comp/core/log/def"
	agentlogfx "github.com/DataDog/datadog-agent/comp/core/log/fx"
	secrets "github.com/DataDog/datadog-agent/comp/core/secrets/def"
	nosecrets "github.com/DataDog/datadog-agent/comp/core/secrets/noop-impl/types"
	forwarder "github.com/DataDog/datadog-agent/comp/forwarder/defaultforwarder/def"
	forwarderfx "github.com/DataDog/datadog-agent/comp/forwarder/defaultforwarder/fx"
	"github.com/DataDog/datadog-agent/comp/forwarder/orchestrator/orchestratorinterface"
	metricscompression "github.com/DataDog/datadog-agent/comp/serializer/metricscompression/def"
	metricscompressionfx "github.com/DataDog/datadog-agent/comp/serializer/metricscompression/fx"
	"github.com/DataDog/datadog-agent/pkg/aggregator/ckey"
	configmodel "github.com/DataDog/datadog-agent/pkg/config/model"
	configsetup "github.com/DataDog/datadog-agent/pkg/config/setup"
	"github.com/DataDog/datadog-agent/pkg/metrics"
	"github.com/DataDog/datadog-agent/pkg/metrics/event"
	"github.com/DataDog/datadog-agent/pkg/metrics/servicecheck"
	"github.com/DataDog/datadog-agent/pkg/serializer"
	"github.com/DataDog/datadog-agent/pkg/tagset"
	"github.com/DataDog/datadog-agent/pkg/util/compression"
	"github.com/DataDog/datadog-agent/pkg/util/fxutil"
	"github.com/DataDog/datadog-agent/pkg/util/quantile"
)

// The interval at which the agent flushes DogStatsD metrics.
const intervalS = 10

// The types of a line, as the agent's DogStatsD server reads them.
var types = map[string]metrics.MetricType{
	"g": metrics.GaugeType, "c": metrics.CounterType, "h": metrics.HistogramType, "ms": metrics.HistogramType,
	"s": metrics.SetType, "d": metrics.DistributionType,
}

type noOrchestrator struct{}

func (noOrchestrator) Get() (forwarder.Forwarder, bool) { return nil, false }

type agent struct {
	config     configmodel.Config
	serializer *serializer.Serializer
	host       string

	samples  metrics.ContextMetrics
	contexts map[string]ckey.ContextKey
	origins  []*metrics.MetricSample // by context key
	sketches map[ckey.ContextKey]*quantile.Agent
	checks   servicecheck.ServiceChecks
	events   event.Events
}

func (a *agent) forget() {
	a.samples = metrics.MakeContextMetrics()
	a.contexts = map[string]ckey.ContextKey{}
	a.origins = nil
	a.sketches = map[ckey.ContextKey]*quantile.Agent{}
	a.checks, a.events = nil, nil
}

// Splits the fields after the first one, and separates the tags.
func fieldsOf(line string) (fields, tags []string) {
	for _, field := range strings.Split(line, "|") {
		if rest, found := strings.CutPrefix(field, "#"); found {
			tags = strings.Split(rest, ",")
		} else {
			fields = append(fields, field)
		}
	}
	return fields, tags
}

func (a *agent) read(line string) error {
	fields, tags := fieldsOf(line)
	if len(fields) < 2 {
		return fmt.Errorf("%q has no type", line)
	}
	now := time.Now().Unix()
	switch {
	case fields[0] == "_sc" && len(fields) > 2:
		status, err := strconv.Atoi(fields[2])
		if err != nil {
			return err
		}
		a.checks = append(a.checks, &servicecheck.ServiceCheck{CheckName: fields[1], Host: a.host, Ts: now,
			Status: servicecheck.ServiceCheckStatus(status), Tags: tags})
		return nil
	case strings.HasPrefix(fields[0], "_e{"):
		_, title, _ := strings.Cut(fields[0], "}:")
		a.events = append(a.events, &event.Event{Title: title, Text: fields[1], Ts: now, Host: a.host, Tags: tags})
		return nil
	}
	name, text, _ := strings.Cut(fields[0], ":")
	kind, known := types[fields[1]]
	if !known {
		return fmt.Errorf("%q has an unknown type", line)
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil && kind != metrics.SetType {
		return err
	}
	return a.add(&metrics.MetricSample{Name: name, Value: value, RawValue: text, Mtype: kind, Tags: tags, Host: a.host, SampleRate: 1,
		Timestamp: float64(now)})
}

func (a *agent) add(sample *metrics.MetricSample) error {
	identity := fmt.Sprint(sample.Mtype, sample.Name, sample.Tags)
	key, known := a.contexts[identity]
	if !known {
		key = ckey.ContextKey(len(a.origins))
		a.contexts[identity] = key
		a.origins = append(a.origins, sample)
	}
	if sample.Mtype != metrics.DistributionType {
		return a.samples.AddSample(key, sample, sample.Timestamp, intervalS, nil, a.config)
	}
	if a.sketches[key] == nil {
		a.sketches[key] = &quantile.Agent{}
	}
	a.sketches[key].Insert(sample.Value, sample.SampleRate)
	return nil
}

// Passes everything to the serializer, which passes it to the forwarder.
func (a *agent) flush() error {
	defer a.forget()
	now := time.Now().Unix()
	series, failures := a.samples.Flush(float64(now))
	for _, failure := range failures {
		return failure
	}
	for _, one := range series {
		origin := a.origins[one.ContextKey]
		one.Name = origin.Name + one.NameSuffix
		one.Tags = tagset.CompositeTagsFromSlice(origin.Tags)
		one.Host, one.Interval = origin.Host, intervalS
	}
	var refused, refusedSketches error
	metrics.Serialize(
		metrics.NewIterableSeries(func(*metrics.Serie) {}, 100, 100),
		metrics.NewIterableSketches(func(*metrics.SketchSeries) {}, 100, 100),
		func(sink metrics.SerieSink, sketches metrics.SketchesSink) {
			for _, one := range series {
				sink.Append(one)
			}
			for key, sketch := range a.sketches {
				origin := a.origins[key]
				sketches.Append(&metrics.SketchSeries{
					DistributionMetadata: metrics.DistributionMetadata{Name: origin.Name, Tags: tagset.CompositeTagsFromSlice(origin.Tags),
						Host: origin.Host, Interval: intervalS},
					Points: []metrics.SketchPoint{{Sketch: sketch.Finish(), Ts: now}},
				})
			}
		},
		func(source metrics.SerieSource) {
			if len(series) > 0 {
				refused = a.serializer.SendIterableSeries(source)
			}
		},
		func(source metrics.SketchesSource) {
			if len(a.sketches) > 0 {
				refusedSketches = a.serializer.SendSketch(source)
			}
		})
	if len(a.checks) > 0 {
		refused = errors.Join(refused, a.serializer.SendServiceChecks(a.checks))
	}
	if len(a.events) > 0 {
		refused = errors.Join(refused, a.serializer.SendEvents(a.events))
	}
	return errors.Join(refused, refusedSketches)
}

// At startup the agent sends metadata about its host.
func (a *agent) introduce() error {
	if err := a.serializer.SendHostMetadata(json.RawMessage(fmt.Sprintf(`{"internalHostname": %q, "os": "linux"}`, a.host))); err != nil {
		return err
	}
	return a.serializer.SendMetadata(json.RawMessage(fmt.Sprintf(`{"hostname": %q, "agent_metadata": {}}`, a.host)))
}

func (a *agent) run(lines io.Reader) error {
	a.forget()
	if err := a.introduce(); err != nil {
		return err
	}
	input := bufio.NewScanner(lines)
	for input.Scan() {
		var err error
		switch line := input.Text(); line {
		case "":
			err = a.flush()
		case "?":
			fmt.Println(expvar.Get("forwarder"))
		default:
			err = a.read(line)
		}
		if err != nil {
			return err
		}
	}
	return input.Err()
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: datadog-agent-core CONFIG <LINES")
	}
	core := &agent{}
	app := fx.New(
		fx.NopLogger,
		fxutil.FxAgentBase(),
		fx.Supply(config.NewAgentParams(os.Args[1])),
		config.Module(),
		fx.Supply(agentlog.ForOneShot("CORE", "info", true)),
		agentlogfx.Module(),
		fx.Provide(func() secrets.Component { return &nosecrets.SecretNoop{} }),
		delegatedauth.Module(),
		forwarderfx.Module(forwarder.NewParams(forwarder.WithFeatures(forwarder.CoreFeatures))),
		fx.Provide(func(component forwarder.Component) forwarder.Forwarder { return component }),
		fx.Provide(func() orchestratorinterface.Component { return noOrchestrator{} }),
		metricscompressionfx.Module(),
		fx.Provide(func(component metricscompression.Component) compression.Compressor { return component }),
		fx.Provide(func(settings config.Component) string { return settings.GetString("hostname") }),
		fx.Provide(serializer.NewSerializer),
		fx.Populate(&core.serializer, &core.host),
	)
	if err := app.Start(context.Background()); err != nil {
		log.Fatal(err)
	}
	core.config = configsetup.Datadog()
	if err := core.run(os.Stdin); err != nil {
		log.Fatal(err)
	}
	if err := app.Stop(context.Background()); err != nil {
		log.Fatal(err)
	}
}
