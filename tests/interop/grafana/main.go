// Grafana's own Prometheus data source, called as by Grafana's server.
//
// Reads one request (JSON) from standard input and writes one response to standard output. A query has the
// fields of a panel (expr, refId, instant, range, exemplar, intervalMs, ...); a resource is a path that the
// query editor requests.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	sdklog "github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/grafana/grafana/pkg/promlib"
)

type query struct {
	FromMs     int64           `json:"fromMs"`
	ToMs       int64           `json:"toMs"`
	IntervalMs int64           `json:"intervalMs"`
	Model      json.RawMessage `json:"model"`
}

type asked struct {
	Target string          `json:"target"`
	Body   json.RawMessage `json:"body"`
}

type request struct {
	URL       string  `json:"url"`
	Queries   []query `json:"queries"`
	Resources []asked `json:"resources"`
}

type response struct {
	Error  string            `json:"error"`
	Frames []json.RawMessage `json:"frames"`
}

type resource struct {
	Status int             `json:"status"`
	Body   json.RawMessage `json:"body"`
}

type answer struct {
	Health    *backend.CheckHealthResult `json:"health"`
	Details   json.RawMessage            `json:"details"`
	Responses []response                 `json:"responses"`
	Resources []resource                 `json:"resources"`
}

func pluginContext(url string) backend.PluginContext {
	return backend.PluginContext{
		OrgID:    1,
		PluginID: "prometheus",
		DataSourceInstanceSettings: &backend.DataSourceInstanceSettings{
			ID: 1, UID: "lockstep", Type: "prometheus", Name: "lockstep", URL: url,
			JSONData: []byte(`{"httpMethod": "POST", "timeInterval": "1s"}`),
			Updated:  time.Unix(1, 0),
		},
	}
}

// One query at a time, so that each response belongs to its query.
func run(service *promlib.Service, plugin backend.PluginContext, one query) response {
	const refID = "A"
	found, err := service.QueryData(context.Background(), &backend.QueryDataRequest{
		PluginContext: plugin,
		Queries: []backend.DataQuery{{
			RefID: refID, JSON: one.Model, MaxDataPoints: 11000,
			Interval:  time.Duration(one.IntervalMs) * time.Millisecond,
			TimeRange: backend.TimeRange{From: time.UnixMilli(one.FromMs), To: time.UnixMilli(one.ToMs)},
		}},
	})
	if err != nil {
		return response{Error: err.Error()}
	}
	reply := found.Responses[refID]
	if reply.Error != nil {
		return response{Error: reply.Error.Error()}
	}
	var told response
	for _, frame := range reply.Frames {
		text, err := data.FrameToJSON(frame, data.IncludeAll)
		if err != nil {
			return response{Error: err.Error()}
		}
		told.Frames = append(told.Frames, text)
	}
	return told
}

func call(service *promlib.Service, plugin backend.PluginContext, one asked) (resource, error) {
	path, _, _ := strings.Cut(one.Target, "?")
	var told resource
	err := service.CallResource(context.Background(),
		&backend.CallResourceRequest{PluginContext: plugin, Path: path, Method: http.MethodGet, URL: one.Target, Body: one.Body},
		backend.CallResourceResponseSenderFunc(func(sent *backend.CallResourceResponse) error {
			told = resource{Status: sent.Status, Body: sent.Body}
			return nil
		}))
	return told, err
}

func answerTo(wanted request) (answer, error) {
	service := promlib.NewService(nil, sdklog.New(), nil)
	plugin := pluginContext(wanted.URL)
	health, err := service.CheckHealth(context.Background(), &backend.CheckHealthRequest{PluginContext: plugin})
	if err != nil {
		return answer{}, fmt.Errorf("health: %w", err)
	}
	told := answer{Health: health, Details: health.JSONDetails}
	for _, one := range wanted.Queries {
		told.Responses = append(told.Responses, run(service, plugin, one))
	}
	for _, one := range wanted.Resources {
		found, err := call(service, plugin, one)
		if err != nil {
			return answer{}, fmt.Errorf("%s: %w", one.Target, err)
		}
		told.Resources = append(told.Resources, found)
	}
	return told, nil
}

func main() {
	var wanted request
	if err := json.NewDecoder(os.Stdin).Decode(&wanted); err != nil {
		log.Fatalf("reading the request: %v", err)
	}
	told, err := answerTo(wanted)
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(told); err != nil {
		log.Fatalf("writing the answer: %v", err)
	}
}
