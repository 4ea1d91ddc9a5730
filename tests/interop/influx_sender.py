"""Writes points with InfluxDB's client for Python; runs inside the environment of
client_requirements.txt.

The input is a JSON object: `url`, `token`, and `points`, a list of [measurement, tags, fields, time
in ms]. The output is the server's health and the response to an invalid line.
"""

import json
import sys

from influxdb_client import InfluxDBClient, Point, WritePrecision
from influxdb_client.client.write_api import SYNCHRONOUS
from influxdb_client.rest import ApiException


def main():
    told = json.load(sys.stdin)
    with InfluxDBClient(url=told["url"], token=told["token"], org="lab", enable_gzip=True) as client:
        health = client.health()
        with client.write_api(write_options=SYNCHRONOUS) as writer:
            for measurement, tags, fields, time_ms in told["points"]:
                point = Point(measurement).time(time_ms, WritePrecision.MS)
                for name, value in tags.items():
                    point.tag(name, value)
                for name, value in fields.items():
                    point.field(name, value)
                writer.write(bucket="runs", record=point, write_precision=WritePrecision.MS)
            refusal = None
            try:
                writer.write(bucket="runs", record="good value=1\nbad value=x")
            except ApiException as error:
                refusal = {"status": error.status, "message": error.message}
        json.dump({"ping": client.ping(), "version": client.version(), "health": health.status, "refusal": refusal},
                  sys.stdout)


if __name__ == "__main__":
    main()
