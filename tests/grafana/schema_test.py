"""Checks dashboards and provisioning files against Grafana's schemas, as in its foundation SDK.

Unknown keys do not survive a round trip through its classes, and missing ones raise errors. Types
of single values are not checked.
"""

import json
import pathlib
import subprocess
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "support"))
import dashboards
import pypi


def missing(told, kept, path=""):
    """Paths of values that the round trip lost or changed."""
    if isinstance(told, dict) and isinstance(kept, dict):
        return [one for key, value in told.items() if value is not None
                for one in (missing(value, kept[key], f"{path}/{key}") if key in kept else [f"{path}/{key}"])]
    if isinstance(told, list) and isinstance(kept, list) and len(told) == len(kept):
        return [one for index, (value, other) in enumerate(zip(told, kept))
                for one in missing(value, other, f"{path}/{index}")]
    return [] if told == kept else [path]


# What the Prometheus data source reads from an annotation query; the schema has only what all data
# sources have in common.
OF_DATA_SOURCE = {"step", "titleFormat", "textFormat", "tagKeys", "useValueForTime"}


class SchemaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.python = pypi.environment("grafana_schema", FOLDER / "schema_requirements.txt")

    def through(self, kind, document):
        """The document as Grafana's classes write it."""
        result = subprocess.run([str(self.python), str(FOLDER / "through_schema.py"), kind], input=json.dumps(document),
                                capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def read_yaml(self, path):
        program = "import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)"
        return json.loads(subprocess.check_output([str(self.python), "-c", program, str(path)], text=True))

    def test_dashboards(self):
        for name, dashboard in dashboards.load().items():
            with self.subTest(dashboard=name):
                for query in dashboard["annotations"]["list"]:
                    for key in OF_DATA_SOURCE:
                        query.pop(key)
                self.assertEqual(missing(dashboard, self.through("dashboard", dashboard)), [])

    def test_a_mistake_is_found(self):
        dashboard = dashboards.load()["job"]
        dashboard["panels"][1]["fieldConfig"]["defaults"]["unti"] = "s"
        dashboard["panels"][2]["options"]["reduceOption"] = {}
        dashboard["annotations"]["list"] = []
        self.assertEqual(missing(dashboard, self.through("dashboard", dashboard)),
                         ["/panels/1/fieldConfig/defaults/unti", "/panels/2/options/reduceOption"])

    def test_alert_rules(self):
        alerting = self.read_yaml(dashboards.FOLDER / "provisioning/alerting/lockstep.yaml")
        self.assertEqual(alerting["apiVersion"], 1)
        [group] = alerting["groups"]
        uids = [rule["uid"] for rule in group["rules"]]
        self.assertEqual(len(uids), len(set(uids)))
        self.assertLessEqual(max(map(len, uids)), 40)
        for rule in group["rules"]:
            with self.subTest(rule=rule["title"]):
                # What Grafana's API requires in addition to a file's content.
                whole = {**rule, "folderUID": group["folder"], "orgID": group["orgId"], "ruleGroup": group["name"]}
                self.assertEqual(missing(whole, self.through("rule", whole)), [])
                self.assertIn(rule["condition"], [query["refId"] for query in rule["data"]])

    def test_the_data_source_is_the_one_that_alerts_name(self):
        [source] = self.read_yaml(dashboards.FOLDER / "provisioning/datasources/lockstep.yaml")["datasources"]
        self.assertEqual(source["type"], "prometheus")
        alerting = self.read_yaml(dashboards.FOLDER / "provisioning/alerting/lockstep.yaml")
        named = {query["datasourceUid"] for rule in alerting["groups"][0]["rules"] for query in rule["data"]}
        self.assertEqual(named, {source["uid"], "__expr__"})
        [provider] = self.read_yaml(dashboards.FOLDER / "provisioning/dashboards/lockstep.yaml")["providers"]
        self.assertEqual(provider["type"], "file")


if __name__ == "__main__":
    unittest.main()
