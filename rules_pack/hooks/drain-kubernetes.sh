#!/bin/sh
# Takes a node out of a Kubernetes cluster: nothing new is placed on it, and its pods are moved.
# usage: drain-kubernetes.sh NODE [WHY]
set -eu
node=$1
kubectl cordon "$node"
kubectl annotate --overwrite node "$node" "lockstep/drained-for=${2:-an alert}"
kubectl drain "$node" --ignore-daemonsets --delete-emptydir-data --timeout=10m
