#!/bin/sh
# Takes a node out of a Slurm cluster: its jobs go on to their end, and no others begin.
# usage: drain-slurm.sh NODE [WHY]
set -eu
scontrol update "nodename=$1" state=drain "reason=lockstep: ${2:-an alert}"
