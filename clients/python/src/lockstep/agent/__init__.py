"""lockstep-agent: samples GPUs and the host once a second and pushes the samples.

GPU counters have dcgm-exporter's names and units, the host's have node_exporter's names, so that
dashboards and rules made for these work. See docs/python.md.
"""
