"""Sends metrics with Datadog's client for Python; runs inside the environment of
client_requirements.txt.

The input is a JSON object: `url`, `token`, and `metrics`, a list of the arguments of
api.Metric.send(). The output is the responses.
"""

import json
import sys

from datadog import api, initialize


def main():
    told = json.load(sys.stdin)
    initialize(api_key=told["token"], app_key="none", api_host=f"{told['url']}/datadog", mute=False)
    json.dump([api.Metric.send(**arguments) for arguments in told["metrics"]], sys.stdout)


if __name__ == "__main__":
    main()
