#!/usr/bin/env python3
"""What other programs read is as their formats want it: JUnit XML, SARIF 2.1.0, tables of Markdown.

    formats.py PROGRAM [--junit-xsd JUnit.xsd] [--sarif-schema sarif-schema-2.1.0.json]

The rules are spelt out here; with the published schemas, which are not ours to hand on (Windy Road's JUnit.xsd, OASIS'
JSON schema), the files are also held against those, by xmllint and by npm's ajv (NODE_PATH names where it is).
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parent
SUITE = {"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname"}

failed = []


def expect(what, holds):
    if not holds:
        failed.append(what)
        print("not so:", what)


def made(program, folder, exit_codes=(0, 1)):
    """The files of each format, from commands that have something to say."""
    files = {"junit": [], "sarif": [], "markdown": []}

    def run(kind, name, *words, into=None):
        done = subprocess.run([program, *words], capture_output=True, text=True, cwd=folder, timeout=120)
        expect(f"{' '.join(words)}: exit code {done.returncode}, {done.stderr}", done.returncode in exit_codes)
        path = pathlib.Path(folder, name)
        if into is None:
            path.write_text(done.stdout)
        if kind:
            files[kind].append(path)

    study = HERE.parent / "study/data/mine.json"
    before, after = (str(HERE.parent / "compare/data" / f) for f in ("before.csv", "after.csv"))
    run("junit", "study.xml", "study", str(study), "--quick", "--no-cache", "--junit", "study.xml", into=True)
    run("junit", "compare.xml", "compare", before, after, "--format", "junit")
    run("sarif", "compare.sarif", "compare", before, after, "--format", "sarif")
    run("markdown", "compare.md", "compare", before, after, "--format", "github")
    run("markdown", "study.md", "study", str(study), "--quick", "--no-cache", "--format", "markdown")
    return files


def check_junit(path):
    suite = xml.parse(path).getroot()
    expect(f"{path.name}: the root is {suite.tag}", suite.tag == "testsuite")
    expect(f"{path.name}: attributes {sorted(suite.attrib)}", set(suite.attrib) == SUITE)
    tags = [child.tag for child in suite]
    cases = suite.findall("testcase")
    expect(f"{path.name}: {tags}", tags == ["properties"] + ["testcase"] * len(cases) + ["system-out", "system-err"])
    counted = {"tests": len(cases), "failures": len(suite.findall("*/failure")), "skipped": len(suite.findall("*/skipped"))}
    expect(f"{path.name}: {counted}", all(int(suite.get(k, -1)) == n for k, n in counted.items()))
    expect(f"{path.name}: no failure in it", counted["failures"] > 0)
    expect(f"{path.name}: {suite.get('timestamp')}", re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.get("timestamp", "")))
    for case in cases:
        expect(f"{path.name}: {case.attrib}", set(case.attrib) == {"classname", "name", "time"} and float(case.get("time")) >= 0)
        expect(f"{path.name}: {len(case)} outcomes of one case", len(case) <= 1)
        for outcome in case:
            wanted = {"message", "type"} if outcome.tag == "failure" else {"message"}
            expect(f"{path.name}: {outcome.tag} {outcome.attrib}", outcome.tag in ("failure", "skipped") and set(outcome.attrib) == wanted)


def check_sarif(path):
    log = json.loads(path.read_text())
    expect(f"{path.name}: version", log["version"] == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json"))
    for run in log["runs"]:
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        expect(f"{path.name}: rules twice", len(set(rules)) == len(rules))
        expect(f"{path.name}: nothing found", run["results"])
        for result in run["results"]:
            expect(f"{path.name}: {result}", result["ruleId"] in rules and result["message"]["text"] and result["level"] in ("none", "note", "warning", "error"))
            # Code scanning services show what has a place in a file, and refuse the rest.
            expect(f"{path.name}: no place: {result}", result["locations"] and result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
            for place in result["locations"]:
                expect(f"{path.name}: {place}", set(place) <= {"physicalLocation", "logicalLocations", "message", "id"})


def check_markdown(path):
    """A table's lines have the cells of its head: a bar in a cell is escaped."""
    head, tables = None, 0
    for line in path.read_text().splitlines():
        cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else None
        if cells and head is None:
            tables += 1
        expect(f"{path.name}: {line}", cells is None or head is None or cells == head)
        head = cells if head is None or cells is None else head
    expect(f"{path.name} has no table", tables > 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--junit-xsd")
    parser.add_argument("--sarif-schema")
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = made(os.path.abspath(a.program), folder)
        for kind, check in (("junit", check_junit), ("sarif", check_sarif), ("markdown", check_markdown)):
            for path in files[kind]:
                check(path)
        if a.junit_xsd:
            for path in files["junit"]:
                done = subprocess.run(["xmllint", "--noout", "--schema", a.junit_xsd, path], capture_output=True, text=True)
                expect(f"{path.name} by {a.junit_xsd}: {done.stderr}", done.returncode == 0)
        if a.sarif_schema:
            script = ("const Ajv = require('ajv'), fs = require('fs'), ajv = new Ajv({strict: false, validateFormats: false});"
                      "const [schema, ...all] = process.argv.slice(1), valid = ajv.compile(JSON.parse(fs.readFileSync(schema)));"
                      "for (const f of all) if (!valid(JSON.parse(fs.readFileSync(f)))) { console.error(f, valid.errors); process.exit(1); }")
            done = subprocess.run(["node", "-e", script, a.sarif_schema, *files["sarif"]], capture_output=True, text=True)
            expect(f"by {a.sarif_schema}: {done.stderr}", done.returncode == 0)
    print("1 passed, 0 failed" if not failed else f"{len(failed)} not so")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
