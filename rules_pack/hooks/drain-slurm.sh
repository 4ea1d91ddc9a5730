#!/bin/sh
# Drains a node of a Slurm cluster: its jobs run to their end, and no new ones start.
# usage: drain-slurm.sh NODE [WHY]
set -eu
scontrol update "nodename=$1" state=drain "reason=lockstep: ${2:-an alert}"
