"""Holds each YAML document, read as YAML 1.1, against its JSON twin."""

import json
import pathlib
import sys

import yaml


def same(ours, theirs):
    """Equal, and of the same types: 1 is not true, 1.0 is 1."""
    if isinstance(ours, dict):
        return (
            isinstance(theirs, dict)
            and list(ours) == list(theirs)
            and all(same(ours[key], theirs[key]) for key in ours)
        )
    if isinstance(ours, list):
        return (
            isinstance(theirs, list)
            and len(ours) == len(theirs)
            and all(map(same, ours, theirs))
        )
    return ours == theirs and isinstance(ours, bool) == isinstance(theirs, bool)


documents = sorted(pathlib.Path(sys.argv[1]).glob("*.yaml"))
if not documents:
    sys.exit("there are no documents")
for path in documents:
    written = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    read = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not same(written, read):
        sys.exit(f"{path.name}: read as YAML 1.1 it is another document")
    print(f"{path.name}: as its JSON")
