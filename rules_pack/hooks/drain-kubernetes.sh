#!/bin/sh
# Drains a node of a Kubernetes cluster: no new pods are scheduled on it, and its pods are evicted.
# usage: drain-kubernetes.sh NODE [WHY]
set -eu
node=$1
kubectl cordon "$node"
kubectl annotate --overwrite node "$node" "lockstep/drained-for=${2:-an alert}"
kubectl drain "$node" --ignore-daemonsets --delete-emptydir-data --timeout=10m
