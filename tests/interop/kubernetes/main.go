// A Kubernetes API server, and the etcd in which it keeps its objects, for tests: two programs in one.
//
//	kubernetes-server etcd FOLDER ADDRESS     keeps its data in FOLDER, has clients at http://ADDRESS
//	kubernetes-server apiserver FLAG...       kube-apiserver with its own flags
package main

import (
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() {
	switch {
	case len(os.Args) == 4 && os.Args[1] == "etcd":
		if err := serveEtcd(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, "kubernetes-server: etcd:", err)
			os.Exit(1)
		}
	case len(os.Args) >= 2 && os.Args[1] == "apiserver":
		command := app.NewAPIServerCommand()
		command.SetArgs(os.Args[2:])
		os.Exit(cli.Run(command))
	default:
		fmt.Fprintln(os.Stderr, "usage: kubernetes-server etcd FOLDER ADDRESS | apiserver FLAG...")
		os.Exit(2)
	}
}

// Serves one member that has no peers, until it is told to stop.
func serveEtcd(folder, address string) error {
	config := embed.NewConfig()
	config.Dir = folder
	config.LogLevel = "warn"
	// A test's data need not outlive the machine.
	config.UnsafeNoFsync = true
	client := url.URL{Scheme: "http", Host: address}
	config.ListenClientUrls = []url.URL{client}
	config.AdvertiseClientUrls = []url.URL{client}
	// Nobody asks it for a vote: any free port will do.
	config.ListenPeerUrls = []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	config.InitialCluster = config.InitialClusterFromName(config.Name)

	server, err := embed.StartEtcd(config)
	if err != nil {
		return err
	}
	defer server.Close()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
	select {
	case <-stop:
		return nil
	case err := <-server.Err():
		return err
	case <-server.Server.StopNotify():
		return fmt.Errorf("it stopped by itself")
	}
}
