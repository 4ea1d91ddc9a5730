"""lockstep-agent: samples GPUs and the host once a second and pushes what it sees.

GPU counters have the names and units of dcgm-exporter, those of the host the names of node_exporter,
so that dashboards and rules made for these work. See docs/python.md.
"""
