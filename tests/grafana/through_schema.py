"""Reads a document (JSON) from standard input into Grafana's classes and writes it again.

usage: through_schema.py dashboard|rule      runs where grafana-foundation-sdk is installed
"""

import json
import sys

from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.alerting import Rule
from grafana_foundation_sdk.models.dashboard import Dashboard

KINDS = {"dashboard": Dashboard, "rule": Rule}

register_default_plugins()
print(JSONEncoder().encode(KINDS[sys.argv[1]].from_json(json.load(sys.stdin))))
